"""Makes what is published: an archive with all FMUs, and a site with a front page, the files, the
pages, the documents, the report, the playground and a search. Every Markdown file that the README
leads to, directly or through others, becomes a page of the site, with the files that these show or
link. Links keep working because the site has the folders of the repository.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

from markdown import markdown

from bristle import VERSION, BristleError
from bristle.cli.files import write_text
from bristle.format.archive import page_of, write_zip
from generator.playground import address
from generator.project import Project
from generator.reading import read_description
from . import front, search
from .frame import LINK, Frame, up
from .twins import without_suffix

MODELS, FMUS = "models", "fmus"  # folders of the site with the FMUs' pages and the FMUs
SUMS = "SHA256SUMS"
README = Path("README.md")
REFERENCE = Path("docs/api.md")  # of the Python package
PARTS = {"playground": "Playground", "report": "Report"}  # built beside the FMUs, each a page
# the second kind is copied unchanged
CODE = re.compile(r"<code>([A-Z]\w+)</code>|<(a|pre)\b.*?</\2>", re.DOTALL)
ABOUT = """\
Bristle {version}: friction models for multibody simulation, each as an FMI 2.0 FMU
and, in the folder fmi3, as one of FMI 3.0.

Import any of these files into a tool that supports FMI (Simulink, Dymola, OpenModelica, FMPy and
others; most of them take 2.0). Normal force [N] and relative velocity [m/s] go in, frictionForce
[N] comes out; it has the sign of the sliding velocity and is subtracted: m a = F - frictionForce.
Names that end in Rotational are the same laws for joints, in rad/s and N.m.

Each file has its own page inside, documentation/index.html: an FMU is a zip archive. If in doubt,
take ImplicitBristle where the tool handles state events, else SecondOrderBristle. In a host with a
fixed step set couplingMass to the mass that the contact moves, or less.

SHA256SUMS has the checksums (sha256sum -c SHA256SUMS). LICENSE: MIT.
"""


def write_archive(folder: Path, fmus: Path, license_file: Path) -> Path:
    """Writes bristle-<version>.zip to the folder: the FMUs, their checksums, the licence and a
    text."""
    files = [*_fmus(fmus), *sorted(fmus.glob("fmi3/*.fmu"))]
    content = {file.relative_to(fmus).as_posix(): file.read_bytes() for file in files} | {
        SUMS: _sums(files, fmus).encode(),
        "LICENSE": license_file.read_bytes(),
        "README.txt": ABOUT.format(version=VERSION).encode(),
    }
    archive = folder / f"bristle-{VERSION}.zip"
    write_zip(archive, {f"bristle-{VERSION}/{name}": data for name, data in content.items()})
    return archive


def write_site(site: Path, repository: Path, fmus: Path, archive: Path) -> None:
    """Makes the site, in a new folder."""
    shutil.rmtree(site, ignore_errors=True)
    models = {file.stem: file for file in _fmus(fmus)}
    parts = [part for part in PARTS if (fmus / part / "index.html").is_file()]
    documents = [file.relative_to(repository) for file in _documents(repository)]
    frame = _frame(parts, documents)
    for part in parts:
        shutil.copytree(fmus / part, site / part)
    if "report" in parts:
        _link_report(site / "report" / "index.html")
    described = Project(repository).descriptions
    ours = [read_description(file) for file in described if file.stem in models]
    played = {one.name for one in ours if one.kind != "load"} if "playground" in parts else set()
    for name, file in models.items():
        place = Path(MODELS, f"{name}.html")
        page = _model_page(file, models, without_suffix(name) in played)
        top = f"{frame.navigation(place)}\n<main>"
        write_text(site / place, page.replace("<main>", top, 1))
        _copy(file, site / FMUS / file.name)
    for here in documents:
        document = repository / here
        body = _linked_models(_body(document, repository, site, frame), models, here)
        write_text(site / _page(here), frame.page(_page(here), _title(document), body))
    packages = [archive, *sorted(fmus.glob(f"bristle-{VERSION}-*.whl"))]
    for package in packages:
        _copy(package, site / package.name)
    _write_files(site, frame, models, packages)
    links = {str(here): str(_page(here)) for here in documents}
    links |= {part: f"{part}/index.html" for part in parts}
    if (repository / front.PICTURE).is_file():
        _copy(repository / front.PICTURE, site / front.PICTURE)
        links[front.PICTURE] = front.PICTURE
    text = front.body(ours, models, _downloads(packages), links)
    script = front.script(links, models)
    index = Path("index.html")
    write_text(site / index, frame.page(index, "Bristle: friction as FMUs", text, script))
    _write_search(site, frame)


def _frame(parts: Iterable[str], documents: list[Path]) -> Frame:
    """Returns the links on every page, to the existing parts."""
    links = [("index.html", "Bristle"), ("files.html", "Files")]
    links += [(f"{part}/index.html", PARTS[part]) for part in parts]
    links.append((str(_page(README)), "Documentation"))
    if REFERENCE in documents:
        links.append((str(_page(REFERENCE)), "Python"))
    return Frame((*links, ("search.html", "Search")))


def _link_report(file: Path) -> None:
    """Links the titles of the models in the report to their pages."""
    page = re.sub(
        r'<small data-page="(\w+)">(.*?)</small>',
        rf'<small><a href="../{MODELS}/\1.html">\2</a></small>',
        file.read_text(encoding="utf-8"),
    )
    home = '<a href="../index.html">Bristle</a>'
    write_text(file, page.replace("</span> Bristle", f"</span> {home}", 1))


def _downloads(packages: Iterable[Path]) -> str:
    words = {".zip": "all in one archive", ".whl": "with the command bristle, as a Python wheel"}
    return "".join(
        f'; <a href="{file.name}">{words[file.suffix]}</a> ({_size(file)})' for file in packages
    )


def _size(file: Path) -> str:
    size = file.stat().st_size
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"


def _sums(files: Iterable[Path], folder: Path | None = None) -> str:
    """Writes checksums as sha256sum does, with paths from the folder, or with names only."""
    return "".join(
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}"
        f"  {file.relative_to(folder or file.parent).as_posix()}\n"
        for file in files
    )


def _write_files(site: Path, frame: Frame, models: dict[str, Path], packages: list[Path]) -> None:
    """Writes the page of all files with their sizes and checksums."""
    files = [*packages, *models.values()]
    lines = [line.split("  ") for line in _sums(files).splitlines()]
    sums = {file: digest for digest, file in lines}
    write_text(site / FMUS / SUMS, _sums(models.values()))
    write_text(site / SUMS, _sums(packages))

    def row(file: Path) -> str:
        link = f"{FMUS}/{file.name}" if file.stem in models else file.name
        page = f'<a href="{MODELS}/{file.stem}.html">page</a>' if file.stem in models else ""
        return (
            f'<tr><td><a href="{link}">{file.name}</a></td><td class="number">{_size(file)}</td>'
            f'<td>{page or "–"}</td><td><code class="sum">{sums[file.name]}</code></td></tr>'
        )

    rows = "\n".join(map(row, files))
    body = f"""<h1>Files</h1>
<p>A click downloads a file. Names that end in Rotational are the same laws for joints. Checksums as
files: <a href="{SUMS}">of archive and wheel</a>, <a href="{FMUS}/{SUMS}">of the FMUs</a>; in the
folder of the files, <code>sha256sum -c {SUMS} --ignore-missing</code> compares them.</p>
<table><tr><th>File</th><th class="number">Size</th><th>Page</th><th>SHA-256</th></tr>
{rows}
</table>"""
    write_text(site / "files.html", frame.page(Path("files.html"), "Files", body))


def _write_search(site: Path, frame: Frame) -> None:
    """Writes the search, last, because it contains every other page."""
    place = Path("search.html")
    skipped = {site / "index.html", site / "files.html"}
    pages = [page for page in sorted(site.rglob("*.html")) if page not in skipped]
    pages.sort(key=lambda page: page.stem == "CHANGELOG")  # current documents before the changelog
    found = []
    for page in pages:
        if page.relative_to(site).parts[0] not in PARTS:
            is_twin = page.parent.name == MODELS and without_suffix(page.stem) != page.stem
            found += search.entries(page, site)[: 1 if is_twin else None]  # all else is its model's
    write_text(site / place, frame.page(place, "Search", search.body(), search.script(found)))


def _fmus(folder: Path) -> list[Path]:
    files = sorted(folder.glob("*.fmu"))
    if not files:
        raise BristleError(f"{folder}: there is no FMU to publish.")
    return files


def _copy(file: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, target)


def _model_page(fmu: Path, models: dict[str, Path], is_played: bool) -> str:
    """Adds links to the page inside an FMU: to the others, to its other form, to the file and to
    the playground, if it has the model."""
    text = _named_models(page_of(fmu), models, fmu.stem)
    links = [
        '<a href="../index.html#models">All models</a>',
        f'<a href="../{FMUS}/{fmu.name}">Download {fmu.name}</a>',
    ]
    for name in models:
        if name != fmu.stem and without_suffix(name) == without_suffix(fmu.stem):
            links.append(
                f'<a href="{name}.html">{name},'
                f" {'the model' if name == without_suffix(name) else 'for a joint'}</a>"
            )
    if is_played:
        links.append(f'<a href="../playground/index.html{address(fmu.stem)}">Try it live</a>')
    return text.replace("<header>", f"<p>{' · '.join(links)}</p>\n<header>", 1)


def _named_models(page: str, models: dict[str, Path], own: str) -> str:
    """Links names of other models in the texts of a page. Some are also names of people: such a
    name is a model's only where it is chosen."""
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
    """Lists the README and every Markdown file that it leads to."""
    found = [repository / "README.md"]
    for document in found:  # grows in the loop
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
    """Lists links of a document to files of the repository; a folder stands for its README."""
    for _, link, _ in LINK.findall(_html(document)):
        target = (document.parent / link).resolve()
        if target.is_dir() and (target / "README.md").is_file():
            target = target / "README.md"
        if not target.is_relative_to(repository.resolve()) or not target.exists():
            raise BristleError(f"{document}: links to {link}, which is not there.")
        yield link, repository / target.relative_to(repository.resolve())


def _body(document: Path, repository: Path, site: Path, frame: Frame) -> str:
    targets = dict(_targets(document, repository))

    def renewed(found: re.Match[str]) -> str:
        attribute, link, anchor = found[1], found[2], found[3] or ""
        target = targets[link]
        here = target.relative_to(repository)
        if target.is_dir():
            link = _listing(target, repository, site, frame)
        elif target.suffix == ".md":
            link = str(_page(here))
        else:
            _copy(target, site / here)
            link = str(here)
        return f'{attribute}="{up(document.relative_to(repository))}{link}{anchor}"'

    return LINK.sub(renewed, _html(document))


def _listing(folder: Path, repository: Path, site: Path, frame: Frame) -> str:
    """Writes a page with the files of a folder without a README."""
    here = folder.relative_to(repository)
    files = sorted(file for file in folder.iterdir() if file.is_file())
    for file in files:
        _copy(file, site / here / file.name)
    body = (
        f"<h1>{escape(here.name)}</h1><ul>"
        + "".join(
            f'<li><a href="{escape(file.name)}">{escape(file.name)}</a></li>' for file in files
        )
        + "</ul>"
    )
    place = here / "index.html"
    write_text(site / place, frame.page(place, here.name, body))
    return str(place)


def _linked_models(body: str, models: dict[str, Path], here: Path) -> str:
    """Links names of models in a text to their pages, except in a link or a listing."""

    def renewed(found: re.Match[str]) -> str:
        if found[1] not in models:
            return found[0]
        return f'<a href="{up(here)}{MODELS}/{found[1]}.html">{found[0]}</a>'

    return CODE.sub(renewed, body)


def _page(here: Path) -> Path:
    """Returns the place of a document on the site; a folder's README is its index, but the site has
    a front page."""
    if here == README:
        return Path("readme.html")
    return here.with_name("index.html") if here.name == README.name else here.with_suffix(".html")


def _title(document: Path) -> str:
    found = re.search(r"^# (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else document.stem
