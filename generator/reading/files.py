"""Loads and merges the files of a description, and names the file of a wrong key."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bristle import BristleError
from ..project import parsed
from .keys import KINDS

# Included by every description.
EVERYWHERE = "co_simulation"


class DescriptionError(BristleError):
    """A mistake in a description: the file, the key and what is wrong with it."""

    def __init__(self, file: Path, key: str, sentence: str) -> None:
        super().__init__(f"{file}: {key}: {sentence}" if key else f"{file}: {sentence}")


class Sources:
    """A description and its includes. `origin` has the file of each key, for messages."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.shared = file.parent / "shared"
        self.files: list[Path] = []
        self.interfaces: set[Path] = set()  # shared files with inputs
        self.origin: dict[str, Path] = {}

    def error(self, key: str, sentence: str) -> DescriptionError:
        """Makes an error that names the file of the key or, if the key is missing, of its table."""
        known = key
        while known not in self.origin and "." in known:
            known = known.rpartition(".")[0]
        return DescriptionError(self.origin.get(known, self.file), key, sentence)

    # Files and their merging

    def load(self, file: Path) -> dict[str, Any]:
        self.files.append(file)
        try:
            return parsed(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise DescriptionError(file, "", "there is no such file") from None
        except UnicodeDecodeError:
            raise DescriptionError(file, "", "not UTF-8 text") from None
        except RecursionError:
            raise DescriptionError(file, "", "it is nested too deeply") from None
        except tomllib.TOMLDecodeError as error:
            raise DescriptionError(file, "", f"not valid TOML: {error}") from None

    def merge(self, file: Path, within: tuple[Path, ...] = ()) -> dict[str, Any]:
        """Merges the content of a file with its includes: tables key by key, lists one after the
        other."""
        own = self.load(file)
        merged: dict[str, Any] = {}
        includes = own.get("include", [])
        if not isinstance(includes, list) or not all(isinstance(name, str) for name in includes):
            raise DescriptionError(file, "include", "has to be a list of names")
        if not within:
            includes = [EVERYWHERE, *includes]
        for name in includes:
            part = self.shared / f"{name}.toml"
            if not part.is_file():
                raise DescriptionError(file, "include", f'"{name}" is not a file of {self.shared}')
            if part in within:
                raise DescriptionError(file, "include", f'"{name}" includes this file itself')
            below = self.merge(part, (*within, part))
            if "inputs" in below or "coupling" in below:
                self.interfaces.add(part)
            self.overlay(merged, below, part, "")
        self.overlay(merged, own, file, "")
        if not within and isinstance(merged.get("equations"), list):
            merged["equations"] = sorted(
                merged["equations"],
                key=lambda entry: isinstance(entry, dict) and entry.get("last") is True,
            )
        return merged

    def overlay(self, below: dict[str, Any], above: dict[str, Any], file: Path, path: str) -> None:
        for key, value in above.items():
            name = f"{path}{key}"
            if file == self.file or name not in self.origin:
                self.origin[name] = file
            if isinstance(value, dict) and isinstance(below.get(key), dict):
                self.overlay(below[key], value, file, f"{name}.")
            elif isinstance(value, list) and isinstance(below.get(key), list) and not path:
                below[key] = below[key] + [item for item in value if item not in below[key]]
            else:
                below[key] = {} if isinstance(value, dict) else value
                if isinstance(value, dict):
                    self.overlay(below[key], value, file, f"{name}.")

    def shared_table(self, name: str, keys: dict[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
        file = self.shared / f"{name}.toml"
        for key, entry in self.load(file).get(name, {}).items():
            self.origin[f"{name}.{key}"] = file
            self.check_entry(f"{name}.{key}", entry, keys)
            yield key, entry

    # Single values

    def check_keys(self, path: str, entry: dict[str, Any], keys: dict[str, str]) -> None:
        for key, value in entry.items():
            where = f"{path}.{key}" if path else key
            if key not in keys:
                raise self.error(where, f"unknown key; known are {', '.join(sorted(keys))}")
            types, words = KINDS[keys[key]]
            if not isinstance(value, types) or (isinstance(value, bool) and types is not bool):
                raise self.error(where, f"has to be {words}")
            if isinstance(value, float) and not math.isfinite(value):
                raise self.error(where, "has to be finite")

    def check_entry(self, path: str, entry: Any, keys: dict[str, str]) -> None:
        if not isinstance(entry, dict):
            raise self.error(path, "has to be a table")
        self.check_keys(path, entry, keys)

    def required(self, entry: dict[str, Any], path: str, key: str) -> Any:
        if key not in entry or entry[key] in ("", []):
            raise self.error(f"{path}.{key}" if path else key, "is missing")
        return entry[key]

    def texts(self, data: dict[str, Any], key: str, required: bool = False) -> tuple[str, ...]:
        values = self.required(data, "", key) if required else data.get(key, [])
        if not all(isinstance(value, str) for value in values):
            raise self.error(key, "has to be a list of texts")
        return tuple(values)
