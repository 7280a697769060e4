"""What is published: the archive and the site."""

import hashlib
import json
import os
import re
import sys
import zipfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

import browsing
from commands import completed
from browsing import AXE, CHROMIUM, Watched, violations
from build_cache import kept, version
from fmus import FMUS, FOLDER, REPOSITORY, TWINS, need_all_fmus

from bristle import VERSION, BristleError
from bristle_site import release
from bristle_site.release import PARTS

need_all_fmus()

SHIPPED = [*FMUS, *(twin for twin, _ in TWINS)]

pytestmark = [pytest.mark.shipped, pytest.mark.xdist_group("release")]


class Links(HTMLParser):
    """Collects the links and images of a page, and its anchors."""

    def __init__(self, text):
        super().__init__()
        self.targets, self.places = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.targets += [values[key] for key in ("href", "src") if key in values]
        self.places.update(values[key] for key in ("id", "name") if key in values)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("release")
    archive = release.write_archive(folder, FOLDER, REPOSITORY / "LICENSE")
    release.write_site(folder / "site", REPOSITORY, FOLDER, archive)
    return folder / "site"


def test_archive_holds_every_fmu_with_its_checksum(site):
    with zipfile.ZipFile(site / f"bristle-{VERSION}.zip") as archive:
        top = f"bristle-{VERSION}"
        sums = dict(
            reversed(line.split("  "))
            for line in archive.read(f"{top}/SHA256SUMS").decode().splitlines()
        )
        names = {fmu.path.name for fmu in SHIPPED}
        assert set(sums) == names | {f"fmi3/{name}" for name in names}
        for name, digest in sums.items():
            assert hashlib.sha256(archive.read(f"{top}/{name}")).hexdigest() == digest
        assert archive.read(f"{top}/LICENSE") == (REPOSITORY / "LICENSE").read_bytes()
        about = archive.read(f"{top}/README.txt").decode()
        assert VERSION in about and {"ImplicitBristle", "SecondOrderBristle"} <= set(
            re.findall(r"\w+", about)
        )


def test_every_link_of_the_site_leads_somewhere(site):
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > len(FMUS)
    parsed = {page: Links(page.read_text(encoding="utf-8")) for page in pages}
    dead = []
    for page, links in parsed.items():
        for link in links.targets:
            path, _, place = link.partition("#")
            if ":" in path:  # on other sites
                continue
            target = Path(os.path.normpath(page.parent / unquote(path))) if path else page
            is_state = target.parent.name == "playground"  # whose address has no anchor on the page
            if not target.is_file() or (
                place and not is_state and target in parsed and place not in parsed[target].places
            ):
                dead.append(f"{page.relative_to(site)}: {link}")
    assert not dead


def test_both_forms_of_a_model_lead_to_each_other(site):
    for twin, model in TWINS:
        for one, other in ((twin, model), (model, twin)):
            links = Links(
                (site / "models" / f"{one.name}.html").read_text(encoding="utf-8")
            ).targets
            assert f"{other.name}.html" in links, one.name
            is_built = (FOLDER / "playground" / "index.html").is_file()
            assert (f"../playground/index.html#1={one.name}" in links) == is_built, one.name


def test_front_leads_to_every_model(site):
    links = Links((site / "index.html").read_text(encoding="utf-8")).targets
    assert {f"models/{fmu.name}.html" for fmu in FMUS} <= set(links)


def test_front_gives_a_file_in_one_click_and_leads_on(site):
    links = Links((site / "index.html").read_text(encoding="utf-8")).targets
    assert {"fmus/ImplicitBristle.fmu", f"bristle-{VERSION}.zip"} <= set(links)
    for word in ("files.html", "search.html", "readme.html", "docs/tools.html"):
        assert word in links, word
    for part in ("playground", "report"):
        is_built = (FOLDER / part / "index.html").is_file()
        assert (f"{part}/index.html" in links) == is_built


def test_every_file_stands_on_the_site_with_its_checksum(site):
    page = (site / "files.html").read_text(encoding="utf-8")
    wheels = [file.name for file in FOLDER.glob(f"bristle-{VERSION}-*.whl")]
    names = [f"bristle-{VERSION}.zip", *wheels, *(f"fmus/{fmu.path.name}" for fmu in SHIPPED)]
    rows = dict(re.findall(r'<a href="([^"]+)">[^<]+</a></td>.*?>([0-9a-f]{64})<', page))
    assert set(rows) == set(names)
    for name, digest in rows.items():
        assert hashlib.sha256((site / name).read_bytes()).hexdigest() == digest, name
    kept = (site / "fmus" / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    assert sorted(kept) == sorted(
        f"{digest}  {name.removeprefix('fmus/')}"
        for name, digest in rows.items()
        if name.startswith("fmus/")
    )


def test_the_front_decides_for_every_answer(browser, site):
    """All combinations of answers name an existing file, and the notes that they require."""
    watched = Watched(browser, site / "index.html")
    answers = watched.page.evaluate(
        """(() => {
        const inputs = [...form.querySelectorAll("input")];
        const names = [...new Set(inputs.map((one) => one.name))];
        const seen = [];
        const values = (name) => [...form.elements].filter((one) => one.name === name);
        const go = (i) => {
            if (i === names.length) {
                answer();
                const place = document.getElementById("answer");
                const hrefs = [...place.querySelectorAll("a")].map((one) => one.href);
                seen.push([Object.fromEntries(new FormData(form)), hrefs, place.innerText]);
                return;
            }
            for (const one of values(names[i])) { one.checked = true; go(i + 1); }
        };
        go(0);
        return seen;
    })()"""
    )
    watched.close()
    assert watched.problems == [] and len(answers) == 81
    for given, links, text in answers:
        targets = [Path(unquote(link.removeprefix("file://").partition("#")[0])) for link in links]
        assert all(target.is_file() for target in targets), links
        assert any(target.suffix == ".fmu" for target in targets)
        assert ("couplingMass" in text) == (given["host"] == "fixed"), given
        assert ("bristle identify" in text) == (given["data"] == "record"), given


def test_the_search_finds_words_of_any_page(browser, site):
    watched = Watched(browser, site / "search.html")

    def found(words):
        watched.page.fill("#query", words)
        return watched.page.locator("#found a").evaluate_all(
            "all => all.map((one) => one.getAttribute('href'))"
        )

    assert found("LuGreRotational")[0].startswith("models/LuGreRotational.html")
    assert not found("couplingMass")[0].startswith("models/"), "texts that all models share"
    assert any(link.startswith("docs/coupling.html") for link in found("couplingMass")[:5])
    assert " ," not in watched.page.locator("#found").inner_text()
    assert found("qwertz") == []
    assert watched.page.locator("#count").inner_text() == "0 places."
    watched.close()
    assert watched.problems == []


def test_axe_finds_nothing_on_the_site(browser, site):
    """On any page, wide and on a phone; on the front page and one of each kind at all widths and in
    both colour schemes: colours come from one style sheet, and take axe four fifths of its time.
    Playground and report have tests of their own. A page is one file, but for pictures, so that
    findings are cached by its content."""
    pages = [
        page
        for page in sorted(site.rglob("*.html"))
        if page.relative_to(site).parts[0] not in PARTS
    ]
    assert len(pages) > len(SHIPPED) + 20
    kinds = ("index", "files", "search", "docs/tools", "models/LuGre", "models/ContactPoint")
    thorough = {site / f"{name}.html" for name in kinds}
    assert thorough < set(pages)
    watched, found = Watched(browser, pages[0]), []
    given = [AXE, Path(browsing.__file__), version(CHROMIUM), *sorted(site.rglob("*.svg"))]
    for page in pages:
        more = () if page in thorough else ((1280, 390), ())

        def visit(folder, page=page, more=more):
            watched.visit(page)
            lines = violations(watched.page, *more) + watched.problems
            (folder / "found").write_text(json.dumps(lines))

        name = page.relative_to(site).with_suffix("").as_posix()
        kept_lines = kept(f"axe/{name.replace('/', '-')}", [page, more, *given], visit) / "found"
        found += [f"{name}: {line}" for line in json.loads(kept_lines.read_text())]
    watched.close()
    assert found == []


def test_pages_of_models_lead_to_those_they_name(site):
    """A name that is also a person's is a link where a model is chosen, but not where an equation
    is cited."""
    names = "|".join(fmu.name for fmu in FMUS)
    for fmu in FMUS:
        page = (site / "models" / f"{fmu.name}.html").read_text(encoding="utf-8")
        for name in re.findall(rf"<li>[^<]*\b[Cc]hoose ({names})\b", page):
            assert name == fmu.name, f"{fmu.name} names {name} without a link"
        assert f'<a href="{fmu.name}.html">' not in page
        assert not re.search(r'<a href="\w+\.html">(\w+)</a>,? (et al|eqs? )', page)


def test_dead_link_is_refused_in_a_sentence(tmp_path):
    (tmp_path / "README.md").write_text("# A\n\n[b](b.md)\n", encoding="utf-8")
    with pytest.raises(BristleError, match=r"README.md: links to b.md, which is not there\."):
        release.write_site(tmp_path / "site", tmp_path, FOLDER, FOLDER / FMUS[0].path.name)


def test_every_fmu_loads_and_runs_by_the_script_for_other_platforms():
    script = REPOSITORY / "tests" / "scripts" / "load_and_run.py"
    run = completed(sys.executable, script, FOLDER, FOLDER / "fmi3", timeout=300)
    assert run.stdout.endswith(f"{2 * len(SHIPPED)} passed, 0 failed\n"), run.stdout + run.stderr


def test_citation_names_the_version():
    assert f"\nversion: {VERSION}\n" in (REPOSITORY / "CITATION.cff").read_text(encoding="utf-8")
