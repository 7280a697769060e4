"""What is published: an archive with all FMUs, and a site with the pages, the report and the README
as its front.

The site is made of what is there: every Markdown file that the README leads to, directly or by
others, becomes a page beside it, with the files that these show or link. Links keep working because
the site has the folders of the repository.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterator
from html import escape
from pathlib import Path

from markdown import markdown

from bristle import VERSION, BristleError
from bristle.cli.files import write_text
from bristle.format.archive import page_of, write_zip
from generator.page import STYLE
from generator.playground import address
from .twins import without_suffix

MODELS, FMUS = "models", "fmus"  # folders of the site with the FMUs' pages and the FMUs
LINK = re.compile(r'(?<=[ <])(href|src)="([^"#:]+)(#[^"]*)?"')
CODE = re.compile(
    r"<code>([A-Z]\w+)</code>|<(a|pre)\b.*?</\2>", re.DOTALL
)  # the second part takes what is left as it is


def write_archive(folder: Path, fmus: Path, license_file: Path) -> Path:
    """bristle-<version>.zip in the folder: the FMUs, their checksums and the licence."""
    content = {file.name: file.read_bytes() for file in _fmus(fmus)}
    sums = "".join(
        f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in content.items()
    )
    content |= {"SHA256SUMS": sums.encode(), "LICENSE": license_file.read_bytes()}
    archive = folder / f"bristle-{VERSION}.zip"
    write_zip(archive, {f"bristle-{VERSION}/{name}": data for name, data in content.items()})
    return archive


def write_site(site: Path, repository: Path, fmus: Path, archive: Path) -> None:
    """The site, in a folder that is made anew."""
    shutil.rmtree(site, ignore_errors=True)
    models = {file.stem: file for file in _fmus(fmus)}
    parts = {
        part: fmus / part
        for part in ("report", "playground")
        if (fmus / part / "index.html").is_file()
    }
    for part, folder in parts.items():
        shutil.copytree(folder, site / part)
    if "report" in parts:
        report = site / "report" / "index.html"
        page = report.read_text(encoding="utf-8")
        write_text(
            report,
            re.sub(
                r'<small data-page="(\w+)">(.*?)</small>',
                rf'<small><a href="../{MODELS}/\1.html">\2</a></small>',
                page,
            ),
        )
    for name, file in models.items():
        played = without_suffix(name) if "playground" in parts else None
        is_ours = (
            played is not None and (repository / "modelDescription" / f"{played}.toml").is_file()
        )
        write_text(
            site / MODELS / f"{name}.html", _model_page(file, models, played if is_ours else None)
        )
        _copy(file, site / FMUS / file.name)
    _copy(archive, site / archive.name)
    front = [(archive.name, f"Download all FMUs ({archive.stat().st_size / 1e6:.1f} MB)")]
    front += [(f"{part}/index.html", part.capitalize()) for part in parts]
    for document in _documents(repository):
        here = document.relative_to(repository)
        body = _linked_models(_body(document, repository, site), models, here)
        ways = front if here == Path("README.md") else [(_up(here) + "index.html", "Bristle")]
        write_text(site / _page(here), _page_text(_title(document), ways, body))


def _fmus(folder: Path) -> list[Path]:
    files = sorted(folder.glob("*.fmu"))
    if not files:
        raise BristleError(f"{folder}: there is no FMU to publish.")
    return files


def _copy(file: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, target)


def _model_page(fmu: Path, models: dict[str, Path], played: str | None) -> str:
    """The page inside an FMU, with the ways back to the others, to its other form, to the file
    itself and to the playground, which has no twins."""
    text = _named_models(page_of(fmu), models, fmu.stem)
    ways = [
        '<a href="../index.html">All models</a>',
        f'<a href="../{FMUS}/{fmu.name}">Download {fmu.name}</a>',
    ]
    for name in models:
        if name != fmu.stem and without_suffix(name) == without_suffix(fmu.stem):
            ways.append(
                f'<a href="{name}.html">{name},'
                f" {'the model' if name == without_suffix(name) else 'for a joint'}</a>"
            )
    if played:
        ways.append(
            f'<a href="../playground/index.html{address(played)}">Try'
            f" {'it' if played == fmu.stem else played} live</a>"
        )
    return text.replace("<header>", f"<p>{' · '.join(ways)}</p>\n<header>", 1)


def _named_models(page: str, models: dict[str, Path], own: str) -> str:
    """Names of other models in the texts of a page lead to these. Some are those of people, too:
    such a name has to be chosen to be one."""
    names = "|".join(sorted((name for name in models if name != own), key=len, reverse=True))
    named = re.compile(rf"(?<![\w./-])(?:(?<=[Cc]hoose )({names})|({names}))(?![\w-])")

    def linked(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        is_model = found[1] or sum(letter.isupper() for letter in name) > 1
        return f'<a href="{name}.html">{name}</a>' if is_model else name

    def renewed(found: re.Match[str]) -> str:
        return f"{found[1]}{named.sub(linked, found[2])}{found[3]}"

    return re.sub(r"(<(?:li|p)(?: class=\"note\")?>)([^<]*)(</)", renewed, page) if names else page


def _documents(repository: Path) -> list[Path]:
    """The README and every Markdown file that it leads to."""
    found = [repository / "README.md"]
    for document in found:  # grows on the way
        for _, target in _targets(document, repository):
            if target.suffix == ".md" and target not in found:
                found.append(target)
    return found


def _html(document: Path) -> str:
    return markdown(
        document.read_text(encoding="utf-8"),
        extensions=["tables", "fenced_code", "toc", "sane_lists"],
    )


def _targets(document: Path, repository: Path) -> Iterator[tuple[str, Path]]:
    """Links of a document to files of the repository; a folder stands for its README."""
    for _, link, _ in LINK.findall(_html(document)):
        target = (document.parent / link).resolve()
        if target.is_dir() and (target / "README.md").is_file():
            target = target / "README.md"
        if not target.is_relative_to(repository.resolve()) or not target.exists():
            raise BristleError(f"{document}: links to {link}, which is not there.")
        yield link, repository / target.relative_to(repository.resolve())


def _body(document: Path, repository: Path, site: Path) -> str:
    targets = dict(_targets(document, repository))

    def renewed(found: re.Match[str]) -> str:
        attribute, link, anchor = found[1], found[2], found[3] or ""
        target = targets[link]
        here = target.relative_to(repository)
        if target.is_dir():
            link = _listing(target, repository, site)
        elif target.suffix == ".md":
            link = str(_page(here))
        else:
            _copy(target, site / here)
            link = str(here)
        return f'{attribute}="{_up(document.relative_to(repository))}{link}{anchor}"'

    return LINK.sub(renewed, _html(document))


def _listing(folder: Path, repository: Path, site: Path) -> str:
    """A page with the files of a folder that has no README."""
    here = folder.relative_to(repository)
    files = sorted(file for file in folder.iterdir() if file.is_file())
    for file in files:
        _copy(file, site / here / file.name)
    body = (
        "<ul>"
        + "".join(
            f'<li><a href="{escape(file.name)}">{escape(file.name)}</a></li>' for file in files
        )
        + "</ul>"
    )
    write_text(
        site / here / "index.html",
        _page_text(here.name, [(_up(here / "index.html") + "index.html", "Bristle")], body),
    )
    return str(here / "index.html")


def _linked_models(body: str, models: dict[str, Path], here: Path) -> str:
    """Names of models in a text lead to their pages, but not inside of a link or a listing."""

    def renewed(found: re.Match[str]) -> str:
        if found[1] not in models:
            return found[0]
        return f'<a href="{_up(here)}{MODELS}/{found[1]}.html">{found[0]}</a>'

    return CODE.sub(renewed, body)


def _page(here: Path) -> Path:
    return here.with_name("index.html") if here.name == "README.md" else here.with_suffix(".html")


def _up(here: Path) -> str:
    return "../" * (len(here.parts) - 1)


def _title(document: Path) -> str:
    found = re.search(r"^# (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else document.stem


def _page_text(title: str, ways: list[tuple[str, str]], body: str) -> str:
    links = " ".join(f'<a href="{escape(link)}">{escape(text)}</a>' for link, text in ways)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{STYLE}
img {{ display: block; max-width: 100%; background: #fff; border-radius: 4px; }}
pre {{ padding: .7rem 1rem; background: var(--tint); overflow-x: auto; }}
table {{ display: block; overflow-x: auto; }}
</style>
</head>
<body>
<nav>{links}</nav>
{body}
<footer><p>Bristle {VERSION}</p></footer>
</body>
</html>
"""
