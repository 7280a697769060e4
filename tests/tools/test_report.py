"""The report and the documentation pages in a real browser, and pictures of the same runs."""

import os
import re
import sys
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from importlib import metadata
from io import StringIO
from itertools import combinations
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest

from commands import completed, printed
import build_cache
from browsing import Watched, check_fits, violations
from fmus import FMUS, FOLDER, REPOSITORY, need_all_fmus

from bristle import BristleError
from bristle.cli import main
from generator.page import captions, page_text
from generator.reading import read_description
from bristle_site import commands
from bristle_site.report import papers
from bristle_site.report.pictures import MODEL_PICTURES, README_PICTURES, readme_pictures
from bristle_site.report.rig import rig_of
from bristle_site.report.sections import Quantity, pretty_unit
from bristle.pages.simplify import kept_rows
from bristle.pages.svg import Line, Panel, drawing

need_all_fmus()

# One worker makes the report for all of these tests; a browser does not run with a sanitizer
# preloaded.
pytestmark = [pytest.mark.xdist_group("report"), pytest.mark.shipped]

RIG = Path(os.environ.get("BRISTLE_RIG", REPOSITORY / "build" / "rig" / "rig"))
MEGABYTE = 1_000_000
SCALAR = {
    fmu.name
    for fmu in FMUS
    if {"normalForce", "relativeVelocity"} <= {v.name for v in fmu.description.inputs}
}


def site(*arguments, **options):
    return completed(sys.executable, REPOSITORY / "site" / "bristle_site", *arguments, **options)


@pytest.fixture(scope="session")
def report():
    """Makes the report (index.html) and the pictures of these FMUs, as ./report.sh --pictures does;
    in this process, so that the tests of the papers' numbers find its runs. The folder is cached
    until an FMU, the rig or any other input changes.
    """

    def make(folder):
        words = [
            "report",
            "--fmus",
            FOLDER,
            "--rig",
            RIG,
            "--out",
            folder / "index.html",
            "--pictures",
            "--pictures-root",
            folder,
        ]
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()) as said:
            assert main([str(word) for word in words], commands, "bristle_site") == 0, (
                said.getvalue()
            )
        assert said.getvalue() == "", "no progress where there is no terminal"

    libraries = re.sub(
        r" \(0x[0-9a-f]+\)",
        "",
        printed("ldd", RIG.with_name("librig.so")),
    )
    sources = [
        REPOSITORY / name
        for name in "generator python site modelDescription playground resources rig".split()
    ]
    return build_cache.kept(
        "report",
        [
            *sources,
            *sorted(FOLDER.glob("*.fmu")),
            RIG.with_name("librig.so"),
            libraries,
            metadata.version("numpy"),
        ],
        make,
    )


@pytest.fixture
def opened(browser, report):
    watched = Watched(browser, report / "index.html")
    yield watched
    watched.close()
    assert watched.problems == []


@pytest.fixture(scope="module")
def read(browser, report):
    """Opens the page for tests that change nothing on it."""
    watched = Watched(browser, report / "index.html")
    yield watched
    watched.close()
    assert watched.problems == []


@pytest.fixture(scope="session")
def systems():
    return rig_of(RIG).systems


def drawn_pixels(page):
    """Counts for each plot the canvas pixels that are neither empty nor grey: those of the
    lines."""
    return page.evaluate("""() => [...document.querySelectorAll(".plot canvas")].map((canvas) => {
        const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", {
            willReadFrequently: true });
        copy.drawImage(canvas, 0, 0);
        const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let i = 0; i < data.length; i += 4) {
            const [r, g, b, a] = [data[i], data[i + 1], data[i + 2], data[i + 3]];
            if (a > 100 && Math.max(r, g, b) - Math.min(r, g, b) > 40) count++;
        }
        return count;
    })""")


def test_page_is_one_file_of_a_few_megabytes_that_requests_nothing_else(read, report):
    assert (report / "index.html").stat().st_size < 5 * MEGABYTE
    assert [url for url in read.requests if not url.startswith("data:")] == [
        (report / "index.html").as_uri()
    ]


def test_every_plot_shows_lines(opened):
    pixels = drawn_pixels(opened.page)
    assert len(pixels) == opened.page.locator(".plot").count() > 10
    opened.page.click("#all")
    assert min(drawn_pixels(opened.page)) > 100


def test_every_existing_model_and_system_is_included(read, systems):
    chips = read.page.locator(".chip").evaluate_all(
        "chips => chips.map((chip) => chip.dataset.model)"
    )
    assert chips == [fmu.name for fmu in FMUS]
    ids = read.page.locator("section").evaluate_all(
        "sections => sections.map((section) => section.id)"
    )
    for name, system in systems.items():
        assert system.reads_table or any(re.match(rf"{name}(-|$)", one) for one in ids), name


def test_a_switch_hides_and_shows_the_model_in_all_plots(opened):
    page = opened.page
    page.click("#all")
    before = drawn_pixels(page)
    chip = page.locator('.chip[data-model="LuGre"]')
    chip.click()
    assert chip.get_attribute("aria-pressed") == "false"
    page.mouse.move(700, 5)  # a line is emphasized while its switch is pointed at
    hidden = page.evaluate(
        "plots.map((plot) => drawn(plot).length === plot.lines.filter((line) => line.model !=="
        " 'LuGre').length)"
    )
    assert all(hidden) and drawn_pixels(page) != before
    chip.click()
    page.mouse.move(700, 5)
    assert drawn_pixels(page) == before
    page.click("#none")
    assert sum(pixels > 0 for pixels in drawn_pixels(page)) == 0
    assert page.locator(".empty:visible").count() > 10
    chip.dblclick()
    pressed = page.locator('.chip[aria-pressed="true"]')
    assert pressed.count() == 1 and pressed.get_attribute("data-model") == "LuGre"


def test_a_drag_zooms_all_plots_of_the_system_in_time_and_a_double_click_ends_it(opened):
    page = opened.page
    spans = (
        "plots.filter((plot) => plot.section.id === 'belt' && plot.overTime).map((plot) =>"
        " plot.x.high - plot.x.low)"
    )
    height = "plots.find((plot) => plot.holder.id === 'belt-0').y"
    whole, low = page.evaluate(spans), page.evaluate(f"{height}.low")
    area = page.locator("#belt-0 canvas")
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    frame = page.evaluate("plots.find((plot) => plot.holder.id === 'belt-0').frame")

    def move(across, down, **options):
        page.mouse.move(
            box["x"] + frame["left"] + across * frame["width"],
            box["y"] + frame["top"] + down * frame["height"],
            **options,
        )

    def drag(across, down):
        move(0.2, 0.3)
        page.mouse.down()
        move(0.2 + across, 0.3 + down, steps=4)
        page.mouse.up()

    drag(0.4, 0.5)
    assert page.evaluate(spans) == pytest.approx([0.4 * span for span in whole], rel=0.02)
    assert page.evaluate(f"{height}.low") > low
    area.dblclick()
    assert page.evaluate(spans) == pytest.approx(whole)
    drag(0, 0.5)
    assert page.evaluate(f"{height}.low") > low, "along one axis"
    assert page.evaluate(spans) == pytest.approx(whole)
    area.dblclick()
    drag(1.5, 0)
    assert page.evaluate(spans) == pytest.approx([0.8 * span for span in whole], rel=0.02), (
        "beyond the end"
    )
    area.dblclick()
    drag(0.01, 0.01)
    assert page.evaluate(f"{height}.low") == low, "what was no drag"


def test_pointing_at_a_plot_shows_the_models_and_their_values(opened):
    area = opened.page.locator("#belt-0 canvas")
    area.hover(position={"x": 100, "y": 60})
    text = opened.page.locator("#belt-0 .tooltip").inner_text()
    shown = opened.page.locator('.chip[aria-pressed="true"]').evaluate_all(
        "chips => chips.map((chip) => chip.dataset.model)"
    )
    on_the_belt = [name for name in shown if name in SCALAR]
    assert " s\n" in text and all(name in text for name in on_the_belt[:8])
    assert re.search(r"\d\.\d+", text)


def test_every_plot_names_its_lines(read):
    """Beside the plot, and only drawn ones; a section in which no model of the default choice runs
    shows some others."""
    names = read.page.evaluate(
        "plots.map((plot) => [[...plot.holder.querySelectorAll('.legend span')].map((one) =>"
        " one.innerText), plot.lines.filter((line) => line.shown).map((line) => line.model)])"
    )
    assert all(legend == shown and shown for legend, shown in names)


def test_the_choice_of_models_is_kept_in_the_address(opened):
    page = opened.page
    page.click('.chip[data-model="Dahl"]')
    before = page.locator('.chip[aria-pressed="true"]').count()
    page.reload()
    assert page.locator('.chip[aria-pressed="true"]').count() == before


def test_a_plot_can_be_downloaded(opened):
    for kind, begin in (("png", b"\x89PNG"), ("svg", b"<svg "), ("csv", b'model,"time in s",')):
        with opened.page.expect_download() as download:
            opened.page.locator(f"#belt-0 .save button[data-as={kind}]").click()
        content = Path(download.value.path()).read_bytes()
        assert (
            download.value.suggested_filename == f"belt-0.{kind}"
            and content.startswith(begin)
            and len(content) > 2000
        )


def test_a_click_on_a_title_sorts_the_table(opened):
    column = opened.page.locator("table.properties tr td:last-child")
    for sign in (1, -1):
        opened.page.locator("table.properties th button").last.click()
        values = [float(text) for text in column.all_inner_texts()]
        assert values == sorted(values)[::sign] and len(set(values)) > 2


def test_on_paper_no_table_is_cut(opened):
    opened.page.set_viewport_size({"width": 718, "height": 1000})  # A4 within its margins
    opened.page.emulate_media(media="print")
    assert opened.page.evaluate(
        "[...document.querySelectorAll('table')].every((table) => table.scrollWidth <="
        " document.body.clientWidth + 1)"
    )
    assert (
        opened.page.locator("aside:visible").count() == 0
        and opened.page.locator(".legend:visible").count() > 3
    )


# How people without the cones for green, or for red, see light (Machado, Oliveira and Fernandes
# 2009, severity 1).
BLIND = {
    "none": np.eye(3),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
}


def lab(light):
    xyz = (
        np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
        @ np.clip(light, 0, 1)
        / [0.9505, 1, 1.089]
    )
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("blindness", BLIND)
@pytest.mark.parametrize("scheme", ["LIGHT", "DARK"])
def test_lines_can_be_distinguished_with_any_colour_vision(scheme, blindness):
    """No two colours are nearer than 15 in CIELAB; 2.3 is just noticeable side by side, thin lines
    need several times that."""
    script = (REPOSITORY / "site" / "bristle_site" / "report" / "page.js").read_text(
        encoding="utf-8"
    )
    colours = re.findall("#([0-9a-f]{6})", re.search(rf"const {scheme} = \[(.*?)\]", script)[1])
    values = [np.array([int(one[i : i + 2], 16) for i in (0, 2, 4)]) / 255 for one in colours]
    seen = [
        lab(BLIND[blindness] @ np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4))
        for v in values
    ]
    assert len(seen) >= 6 and min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 15


def test_numbers_at_an_axis_are_not_too_large():
    assert Quantity("x", "um").readable(39.0, 1e4) == Quantity("x", "m")
    assert Quantity("x", "um").readable(2e-2, 1e4) == Quantity("x", "mm")
    assert Quantity("x", "um").readable(2e-5, 1e4) == Quantity("x", "um")


def test_every_printed_number_is_shown_beside_ours_with_tolerance_and_reason(read):
    rows = read.page.locator("table.printed tr").evaluate_all(
        "rows => rows.map((row) => [...row.cells].map((cell) => cell.innerText))"
    )
    shown = [row for row in rows if row[0] != "printed number"]
    available = {fmu.name for fmu in FMUS}
    cases = papers.cases()
    assert len(shown) == len(cases)
    for case in cases:
        row = next(
            row
            for row in shown
            if case.what in row[0]
            and row[1] == case.fmu
            and row[2] == f"{case.printed_text} {pretty_unit(case.unit)}".strip()
        )
        assert case.reason in row[0] and f"{case.tolerance:g}" in row[5]
        if case.fmu in available:
            assert row[6] == (case.status or ("met (calibrated)" if case.calibrated else "met")), (
                row
            )


def test_every_model_that_fits_has_its_properties_measured(read):
    rows = read.page.locator("table.properties tr").evaluate_all(
        "rows => rows.map((row) => [...row.cells].map((cell) => cell.innerText))"
    )
    measured = {row[0].split("\n")[0]: row[1:] for row in rows[1:]}
    assert SCALAR <= set(measured)
    assert all(len(cells) == len(rows[0]) - 1 for cells in measured.values())
    assert measured["LuGre"][1] == "21.3 µm", "the drift that Rill 2023 prints as 0.02129 mm"
    assert measured["SecondOrderBristle"][:2] == ["yes", "none"]
    assert measured["StaticRegularized"][0] == "creeps 0.187 mm/s", "printed as 0.1875 mm/s"


def test_six_models_have_six_colours_and_none_hides_another(opened):
    """A line drawn later has more gaps than one below it, also after a change."""
    page = opened.page
    script = (
        "(() => { const on = data.models.map((one) => one.name).filter((one) =>"
        " selected.has(one)); return on.map((one) => [colour(one),"
        " dash(one).filter((_, i) => i % 2).reduce((a, b) => a + b, 0) /"
        " (dash(one).reduce((a, b) => a + b, 0) || 1)]); })()"
    )

    def check():
        colours, gaps = zip(*page.evaluate(script), strict=True)
        assert len(colours) == len(set(colours)) == 6
        assert list(gaps) == sorted(gaps) and len(set(gaps)) == 6

    check()
    page.click('.chip[data-model="LuGre"]')
    page.click('.chip[data-model="Benson"]')
    check()


def test_a_badge_claims_no_more_than_the_page_of_the_model(read):
    rows = read.page.locator("table.properties tr").evaluate_all(
        "rows => rows.map((row) => [...row.cells].map((cell) => [cell.innerText,"
        " cell.querySelector('.good') !== null]))"
    )
    column = [text for text, _ in rows[0]].index("passive")
    claimed = 0
    for row in rows[1:]:
        name = row[0][0].split("\n")[0]
        is_good, description = row[column][1], None
        file = REPOSITORY / "modelDescription" / f"{name}.toml"
        if is_good and file.is_file():
            description = read_description(file)
            assert description.passive, name
            claimed += 1
    assert claimed > 10


def test_units_are_written_as_people_write_them(read):
    texts = read.page.locator("p.origin, td.number, .plot h3").all_inner_texts()
    joined = " ".join(texts)
    assert "m/s²" in joined and "N·m" in joined
    assert not re.search(r"m/s2|N\.[a-z]", joined)


def test_axe_finds_nothing_on_the_report(browser, report):
    watched = Watched(browser, report / "index.html")
    assert violations(watched.page) == []
    watched.close()


@pytest.mark.fmus(lambda d: d.name in ("ContactPoint", "GearLoad", "LuGre"))
def test_axe_finds_nothing_on_the_page_of_a_model(browser, fmu):
    watched = Watched(browser, fmu.folder / "documentation" / "index.html")
    assert violations(watched.page) == []
    watched.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1400])
def test_page_fits_screen_and_colour_scheme(browser, report, scheme, width):
    check_fits(
        Watched(
            browser,
            report / "index.html",
            color_scheme=scheme,
            viewport={"width": width, "height": 800},
        ),
        scheme,
        width,
    )


def test_a_missing_rig_is_one_sentence_that_names_what_to_install(tmp_path):
    result = site("report", "--rig", tmp_path / "rig", "--fmus", FOLDER)
    assert result.returncode == 2
    assert len(result.stderr.splitlines()) == 1 and "libsundials-dev" in result.stderr


def test_kept_rows_draw_the_same_line():
    time = np.sort(np.concatenate([np.linspace(0, 10, 5001), [5.0]]))
    wave, jump = np.sin(time), np.where(np.arange(time.size) > 2500, 1.0, -1.0)
    rows = kept_rows(time, [wave, jump], limit=1000, tolerance=1e-3)
    assert rows[0] == 0 and rows[-1] == time.size - 1 and rows.size < 200
    assert np.abs(np.interp(time, time[rows], wave[rows]) - wave).max() <= 2.001e-3
    assert {2500, 2501} <= set(rows), "both sides of a jump"


# The documentation inside each FMU


@pytest.fixture(scope="module")
def documentation(browser):
    """Opens an FMU's page; returns the heights of its equations, its figures, its text, its errors
    and its requests."""
    watched = Watched(browser, FMUS[0].folder / "documentation" / "index.html")

    @cache
    def visit(fmu):
        watched.visit(fmu.folder / "documentation" / "index.html")
        heights = watched.page.locator(".equation math").evaluate_all(
            "all => all.map((one) => one.getBoundingClientRect().height)"
        )
        figures = watched.page.locator("figure").evaluate_all("""all => all.map((figure) => {
            const image = figure.querySelector("img");
            return { name: image.alt.replaceAll(" ", "_"), data: image.src,
                width: image.naturalWidth, caption: figure.querySelector("figcaption").innerText };
        })""")
        return (
            heights,
            figures,
            watched.page.locator("body").inner_text(),
            [*watched.problems],
            [*watched.requests],
        )

    yield visit
    watched.close()


def test_documentation_page_shows_its_equations(documentation, fmu):
    heights, _, text, problems, requests = documentation(fmu)
    assert heights and min(heights) > 10, "drawn as mathematics"
    assert "\\" not in text, "no LaTeX left over"
    assert problems == []
    assert len(requests) - sum(url.startswith("data:") for url in requests) == 1


def test_documentation_page_shows_the_kept_pictures_each_with_its_caption(documentation, fmu):
    _, figures, _, _, _ = documentation(fmu)
    kept = REPOSITORY / "modelDescription" / "pictures" / fmu.name
    assert len(figures) >= 2, "run: ./report.sh --pictures"
    assert [figure["name"] for figure in figures] == [
        name for name in captions() if (kept / f"{name}.svg").exists()
    ], "in the order of their definitions"
    for figure in figures:
        assert figure["width"] > 0, "drawn"
        data = figure["data"].removeprefix("data:image/svg+xml,")
        assert unquote(data) == (kept / f"{figure['name']}.svg").read_text(encoding="utf-8")
        assert figure["caption"] == captions()[figure["name"]]


def test_each_picture_has_a_caption_of_one_sentence():
    assert captions().keys() == MODEL_PICTURES.keys()
    for name, caption in captions().items():
        assert (
            caption[0].isupper() and caption.endswith(".") and not re.search(r"[.!?] ", caption)
        ), name
        assert 10 < len(caption.split()) < 60, name


def test_a_picture_without_a_caption_is_refused(tmp_path):
    stray = tmp_path / "stray.svg"
    stray.write_text("<svg/>", encoding="utf-8")
    with pytest.raises(BristleError, match="stray.svg: pictures.toml has no caption"):
        page_text(read_description(REPOSITORY / "modelDescription" / "LuGre.toml"), [], [stray])


# Pictures that are kept with the sources

ON_A_LINE = {"friction_curve", "hysteresis_loop", "pulse_response"}
IN_A_PLANE = {"turning_direction", "crossing_motion", "turning_plane"}
OF_A_PRESS = {"bounce", "impact_loop"}
OF_A_POINT = {"throw", "cube"}
OF_A_LOAD = {  # by an input; a guide has those of a pin, too
    "reactionForce[1]": {"turning_force", "bending_moment"},
    "slidePosition": {"overlap", "turning_moment"},
    "transmittedTorque": {"reversing_gear", "loaded_gear"},
    "slackTension": {"wrap_angle", "wrap_backwards"},
}


def pictures_by_inputs(inputs):
    """Returns the pictures that a page should have, from the inputs of the element."""
    if loads := [pictures for name, pictures in OF_A_LOAD.items() if name in inputs]:
        return loads[-1]
    if "penetration" in inputs:
        return OF_A_PRESS
    if "pointPosition[1]" in inputs:
        return OF_A_POINT
    return ON_A_LINE | IN_A_PLANE if "contactNormal[1]" in inputs else ON_A_LINE


def polylines(text):
    return [
        np.array([[float(n) for n in point.split(",")] for point in points.split()])
        for points in re.findall(r'points="([^"]+)"', text)
    ]


def distance(points, line):
    """Returns the largest distance of the points from the line, in pixels."""
    a, d = line[:-1], np.diff(line, axis=0)
    length = np.maximum((d**2).sum(axis=1), 1e-12)
    foot = np.clip(((points[:, None] - a) * d).sum(axis=2) / length, 0, 1)
    return np.sqrt(
        (((a + foot[..., None] * d) - points[:, None]) ** 2).sum(axis=2).min(axis=1)
    ).max()


def check_in_step(kept, fresh):
    """Checks for the same words and the same curves within 2 pixels; other processors round
    differently."""
    assert kept.exists(), f"{kept.name} is not there: run ./report.sh --pictures"
    old, new = kept.read_text(encoding="utf-8"), fresh.read_text(encoding="utf-8")
    assert len(old.encode()) < 40_000
    words = [re.findall(r">([^<>\d]+)</text>", text) for text in (old, new)]
    assert words[0] == words[1]
    pairs = list(zip(polylines(old), polylines(new), strict=True))
    assert pairs
    for a, b in pairs:
        assert max(distance(a, b), distance(b, a)) < 2, (
            f"{kept} is not what the rig gives: run ./report.sh --pictures"
        )


def test_pictures_of_each_model_are_what_the_rig_gives(fmu, report):
    fresh = report / "modelDescription" / "pictures" / fmu.name
    kept = REPOSITORY / "modelDescription" / "pictures" / fmu.name
    names = sorted(file.name for file in fresh.glob("*"))
    assert sorted(file.name for file in kept.glob("*")) == names
    assert names == sorted(
        f"{name}.svg" for name in pictures_by_inputs({v.name for v in fmu.description.inputs})
    )
    for name in names:
        check_in_step(kept / name, fresh / name)


@pytest.mark.fmus(lambda d: d.name == "ProjectedLuGre")
def test_the_force_rotates_on_a_circle_and_with_a_grain_on_an_ellipse(fmu, report):
    text = (
        report / "modelDescription" / "pictures" / fmu.name / "turning_direction.svg"
    ).read_text(encoding="utf-8")
    plain, grained = polylines(text)
    width = 2 * (plain[0, 0] - plain[:, 0].min())  # it starts at rest, in the middle
    assert np.ptp(plain[:, 1]) == pytest.approx(width, rel=0.01)
    assert np.ptp(grained[:, 1]) == pytest.approx(0.5 * width, rel=0.01)
    assert "transverseFriction 1" in text and "transverseFriction 0.5" in text


@pytest.mark.fmus(lambda d: d.name == "ProjectedGKF")
def test_a_line_that_a_model_has_no_parameter_for_is_left_out(fmu, report):
    text = (
        report / "modelDescription" / "pictures" / fmu.name / "turning_direction.svg"
    ).read_text(encoding="utf-8")
    assert len(polylines(text)) == 1 and "transverseFriction" not in text


@pytest.mark.parametrize("width, height", [(1.0, 1.0), (3.0, 1.0), (1.0, 3.0)])
def test_equal_axes_have_one_scale(width, height):
    line = Line(
        np.array([0, width, width, 0]), np.array([0, 0, height, height]), time=np.arange(4.0)
    )
    (points,) = polylines(drawing([Panel([line], "x", "y", equal=True)]))
    assert np.ptp(points[:, 0]) / np.ptp(points[:, 1]) == pytest.approx(
        width / height, rel=2e-3
    )  # a tenth of a pixel


@pytest.mark.parametrize("name", README_PICTURES)
def test_pictures_of_the_readme_are_what_the_rig_gives(name, report):
    check_in_step(REPOSITORY / "docs" / f"{name}.svg", report / "docs" / f"{name}.svg")


@pytest.mark.parametrize("picture", README_PICTURES.values(), ids=README_PICTURES)
def test_a_folder_without_all_models_of_a_picture_does_not_redraw_it(picture):
    """Otherwise adding a model would overwrite the picture of the README with one that lacks the
    others."""

    def run(*words):
        raise AssertionError("nothing to run")

    assert picture.name not in readme_pictures(picture.models[1:], run)
