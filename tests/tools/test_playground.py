"""The playground: its models against the FMUs, its runs against the rig, and the page in a real
browser."""

import csv
import io
import json
import re
import subprocess
from xml.etree import ElementTree

import pytest

from browsing import Watched, check_fits
from fmus import FMUS, FOLDER, REPOSITORY
from fmi2 import FmiError
from points import Sampler
from test_rig import RIG

from bristle.format.parameter_set import NAMESPACE, ssv_text
from generator.parameter_sets import parameter_sets
from generator.reading import read_description

# One worker opens the page for all of these tests; a browser does not run with a sanitizer
# preloaded.
pytestmark = [pytest.mark.xdist_group("playground"), pytest.mark.shipped]

PAGE = FOLDER / "playground" / "index.html"
MEGABYTE = 1_000_000
SEED = 5
SETS, POINTS = 2, 12  # random parameter sets of each model, and points with each


# The elements alone


# All but the loads, which move nothing.
PLAYED = [
    fmu
    for fmu in FMUS
    if read_description(REPOSITORY / "modelDescription" / f"{fmu.name}.toml").kind != "load"
]


def random_points():
    """For each model: parameters, then inputs and states with the outputs that the FMU gives."""
    content = {}
    for fmu in PLAYED:
        sampler = Sampler(fmu.description, SEED)
        outputs = [v.name for v in fmu.description.outputs if v.type == "Real"]
        content[fmu.name] = []
        with fmu.model_exchange() as instance:
            for _ in range(SETS):
                parameters = sampler.start(instance)
                points = []
                for point in range(POINTS):
                    states, inputs = sampler.states(parameters), sampler.inputs(parameters)
                    if point == 0 and "normalForce" in inputs:
                        inputs["normalForce"] = -1.0  # what the surfaces did before is forgotten
                    if states:
                        instance.states = states
                    instance.set(inputs)
                    instance.event()
                    points.append(
                        {
                            "states": states,
                            "inputs": inputs,
                            "outputs": {name: instance.get(name) for name in outputs},
                        }
                    )
                content[fmu.name].append({"parameters": parameters, "points": points})
                instance.demand("fmi2Reset")
    return content


# Runs in Node.js as in a browser: gives the outputs at all points, model by model.
VISIT = """
(catalogue, module, content) => Object.fromEntries(Object.entries(content).map(([name, sets]) =>
    [name, sets.flatMap(({ parameters, points }) => {
    const element = new Element(module, catalogue.models.find((one) => one.name === name));
    const references = new Map(element.model.variables.map(([name], reference) => [name,
        reference]));
    const situation = element.situations.find((one) => {
        try {
            element.open(one.name, one.settings.map((setting) => setting.start), null, parameters);
            return true;
        } catch (refusal) {
            if (refusal instanceof Refusal) return false;
            throw refusal;
        }
    });
    if (!situation) throw new Error(`${name} fits nowhere: ${element.sentence}`);
    element.start();
    return points.map(({ states, inputs, outputs }) => {
        for (const [input, value] of Object.entries(inputs))
            element.demand(element.call.set_real(references.get(input), value));
        element.settings = states;
        element.demand(element.call.visit());
        return Object.keys(outputs).map((output) => element.get(references.get(output)));
    });
})]))
"""


@pytest.fixture(scope="module")
def content():
    return random_points()


@pytest.fixture(scope="module")
def watched(browser):
    watched = Watched(browser, PAGE)
    until(watched.page, "typeof page !== 'undefined' && page.time > 0")
    yield watched
    watched.close()
    assert watched.problems == []
    assert [url for url in watched.requests if not url.startswith(("data:", "blob:"))] == [
        PAGE.as_uri()
    ], "asks for nothing but itself"


@pytest.fixture
def page(watched):
    """The page in its first state."""
    go(watched.page, "")
    return watched.page


def go(page, address):
    page.evaluate("(address) => { page.follow(address); }", address)


def until(page, condition):
    """Waits for a condition. The policy of the page allows no eval, which Playwright's own waiting
    needs."""
    for _ in range(1000):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(10)
    raise AssertionError(f"never came true: {condition}")


def check_points(content, answers):
    for name, sets in content.items():
        expected = [point["outputs"] for one in sets for point in one["points"]]
        assert len(expected) == len(answers[name])
        for outputs, values in zip(expected, answers[name], strict=True):
            sizes = {key: abs(value) for key, value in outputs.items()}
            force = max(
                [
                    size
                    for key, size in sizes.items()
                    if key.startswith(("frictionForce", "normalForce"))
                ],
                default=0,
            )
            for (key, value), other in zip(outputs.items(), values, strict=True):
                # the mathematical functions of two libraries differ in the last digits; a component
                # of a vector by those of the whole
                assert other == pytest.approx(
                    value, rel=1e-12, abs=1e-12 * max(force, sizes[key], 1e-9)
                ), (name, key)


def in_node(tmp_path, script, *arguments):
    """Runs a function of the page's scripts, the catalogue and the module in Node.js."""
    text = PAGE.read_text(encoding="utf-8")
    file = tmp_path / "run.js"
    packed = json.dumps(re.findall(r'id="(?:catalogue|module)-data">([^<]+)<', text))
    call = f"""
const [catalogue, module_] = {packed}.map((data) =>
    require("zlib").inflateRawSync(Buffer.from(data, "base64")));
const result = ({script})(JSON.parse(catalogue), new WebAssembly.Module(module_),
    ...JSON.parse(require("fs").readFileSync(0)));
process.stdout.write(JSON.stringify(result));
"""
    file.write_text(scripts(text) + call, encoding="utf-8")
    done = subprocess.run(
        ["node", file], input=json.dumps(arguments), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def scripts(text):
    """What of the page's script runs without a page: tools, module and slot, which come first."""
    body = text.rpartition("<script>")[2].partition("</script>")[0]
    return body.partition("// Plots, drawn by")[0]


def test_every_element_gives_the_force_of_its_fmu_in_node(content, tmp_path):
    check_points(content, in_node(tmp_path, VISIT, content))


def test_every_element_gives_the_force_of_its_fmu_in_a_browser(content, page):
    answers = page.evaluate(
        f"(content) => ({VISIT})(page.catalogue, page.module, content)", content
    )
    check_points(content, answers)


# Runs of the page against the rig, which integrates the same systems with CVODE

RUN = """
(catalogue, module, cases) => cases.map(([name, system]) => {
    const slot = new Slot(module, catalogue.models.find((one) => one.name === name), 0);
    slot.spacing = 0;
    const { settings, stop } = slot.element.situations.find((one) => one.name === system);
    slot.restart(system, settings.map((one) => one.start), [0, 0, 0, 0, 0, 0]);
    slot.advance(stop, Infinity);
    let reach = 0;
    slot.eachRow((row) => { reach = Math.max(reach,
        Math.abs(slot.rows[row + slot.column.position])); });
    return { problem: slot.problem, time: slot.now("time"), position: slot.now("position"), reach };
})
"""
# Each situation with a model that sticks by modes, one that does not and one of another kind. In
# `liftoff` the body rests on an unstable equilibrium before the contact is lost, so that the end
# depends on rounding: two tolerances of one solver differ there as much as two solvers.
CASES = [
    ("LuGre", "belt"),
    ("ImplicitBristle", "belt"),
    ("ProjectedLuGre", "belt"),
    ("LuGre", "pulse"),
    ("Coulomb", "pulse"),
    ("GeneralizedMaxwellSlip", "pulse"),
    ("LuGre", "hysteresis"),
    ("Leuven", "hysteresis"),
    ("Coulomb", "rabinowicz"),
    ("SecondOrderBristle", "rabinowicz"),
    ("Gonthier", "presliding"),
    ("Karnopp", "presliding"),
    ("Dahl", "liftoff"),
    ("StaticRegularized", "sweep"),
    ("HuntCrossley", "bounce"),
    ("ContactPoint", "throw"),
]


def rig(*arguments):
    done = subprocess.run([RIG, *map(str, arguments), "-o", "-"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def test_runs_end_where_those_of_the_rig_do(tmp_path):
    runs = in_node(tmp_path, RUN, CASES)
    for (model, system), run in zip(CASES, runs, strict=True):
        last = rig(system, FOLDER / f"{model}.fmu")[-1]
        assert run["problem"] == "" and run["time"] == pytest.approx(float(last["time"]))
        position = next(
            float(last[name]) for name in ("position", "displacement", "height") if name in last
        )
        # tolerance 1e-6 here and 1e-8 there, over some thousand steps and a few break-aways, whose
        # moments shift
        assert run["position"] == pytest.approx(position, abs=1e-4 * run["reach"]), (model, system)


# The page


def test_page_is_one_small_file():
    assert PAGE.stat().st_size < 2 * MEGABYTE
    assert [file.name for file in PAGE.parent.iterdir()] == ["index.html"]
    assert not re.search(
        r'(src|href)="(?!#|data:)', PAGE.read_text(encoding="utf-8").partition("<script")[0]
    )


def test_every_model_loads_and_runs_in_the_page(page):
    names = page.evaluate("page.catalogue.models.map((one) => one.name)")
    assert names == [fmu.name for fmu in PLAYED]
    results = page.evaluate(
        """(names) => names.map((name) => {
        page.follow("#" + name);
        const slot = page.slot;
        for (let i = 0; i < 200; i++) page.advance(page.situation.window / 400);
        page.draw();
        return { name, time: page.time, window: page.situation.window, problem: slot.problem,
            rows: slot.count, force: slot.largestForce };
    })""",
        names,
    )
    for result in results:
        assert result["problem"] == "" and result["rows"] > 20 and result["force"] > 0, result
        assert result["time"] == pytest.approx(result["window"] / 2, rel=1e-6), result


def pixels(page, id_):
    """Pixels of a canvas that are coloured."""
    return page.evaluate(
        """(id) => {
        const canvas = document.getElementById(id), {
            data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let i = 0; i < data.length; i += 4) {
            const [r, g, b, a] = data.subarray(i, i + 4);
            if (a > 100 && Math.max(r, g, b) - Math.min(r, g, b) > 60) count++;
        }
        return count;
    }""",
        id_,
    )


def test_scene_and_plots_are_drawn(page):
    go(page, "#situation=belt&1=LuGre&2=ImplicitBristle&3=Coulomb")
    page.evaluate(
        "for (let i = 0; i < 100; i++) page.advance(0.1); page.plots.forEach((plot) =>"
        " page.visible.add(plot.id)); page.draw()"
    )
    for canvas in (
        "scene",
        "force-velocity",
        "force-displacement",
        "position-time",
        "force-time",
        "modes",
    ):
        assert pixels(page, canvas) > 300, canvas


def field(page, name):
    return page.locator(
        f'#parameters .field[data-name="{name}"], #settings .field[data-name="{name}"]'
    )


def test_sliders_and_number_fields_act_on_the_running_element(page):
    go(page, "#situation=sweep&1=SmoothCoulomb")
    parameter = page.evaluate(
        "page.slot.model.parameters.find((one) => !one.fixed && !one.index).name"
    )
    read = "(name) => page.slot.element.parameters[name]"
    factor = page.evaluate(
        "(name) => page.slot.model.parameters.find((one) => one.name === name).factor", parameter
    )
    before, time = page.evaluate(read, parameter), page.evaluate("page.advance(1), page.time")
    slider = field(page, parameter).locator('input[type="range"]')
    slider.focus()
    slider.press("PageUp")
    moved = page.evaluate(read, parameter)
    assert moved != before and page.evaluate("page.time") >= time, "the run goes on"
    number = field(page, parameter).locator('input[type="text"]')
    assert float(number.input_value()) == pytest.approx(moved * factor, rel=1e-4)
    number.fill("0,25")
    number.press("Enter")
    assert page.evaluate(read, parameter) * factor == pytest.approx(0.25)
    field(page, parameter).locator(".reset").click()
    assert page.evaluate(read, parameter) == before


def test_a_broken_rule_is_told_at_the_field_in_the_words_of_the_element(page):
    go(page, "#situation=belt&1=LuGre")
    number = field(page, "dynamicFriction").locator('input[type="text"]')
    before = page.evaluate("page.slot.parameters.dynamicFriction")
    number.fill("5")
    number.press("Enter")
    told = field(page, "dynamicFriction").locator(".broken").inner_text()
    with next(fmu for fmu in FMUS if fmu.name == "LuGre").model_exchange() as instance:
        limit = page.evaluate("page.slot.parameters.staticFriction")
        with pytest.raises(FmiError):
            instance.start({"dynamicFriction": 5.0, "staticFriction": limit})
        assert told in str(instance.messages), "the sentence of the FMU itself"
    assert page.evaluate("page.slot.element.parameters.dynamicFriction") == before, (
        "it goes on with the value before"
    )
    page.evaluate("page.advance(0.5)")
    assert page.evaluate("page.slot.problem") == ""
    number.fill(str(before))
    number.press("Enter")
    assert field(page, "dynamicFriction").locator(".broken").inner_text() == ""


def test_a_parameter_set_is_taken_by_one_click(page):
    go(page, "#situation=sweep&1=LuGre")
    page.locator(".sets button", has_text="piatkowski2014 lugre").click()
    values = page.evaluate(
        "page.slot.model.sets.find((one) => one.name === 'piatkowski2014_lugre').values"
    )
    now = page.evaluate("page.slot.element.parameters")
    assert len(values) > 3 and {name: now[name] for name in values} == values


def test_an_address_restores_the_page(page, browser):
    go(page, "#situation=belt&1=LuGre&2=Dahl")
    for name, value in (("staticFriction", "0.31"), ("beltSpeed", "0.05")):
        number = field(page, name).locator('input[type="text"]')
        number.fill(value)
        number.press("Enter")
    page.evaluate("page.takeSet(page.slots[1], null)")
    address = page.evaluate("page.writeAddress()")
    assert (
        "1.staticFriction=0.31" in address
        and "beltSpeed=0.05" in address
        and "2.set=defaults" in address
    )
    state = (
        "({ situation: page.situation.name, settings: page.settings, slots: page.slots.map((slot)"
        " => [slot.model.name, slot.element.parameters]) })"
    )
    other = Watched(browser, PAGE, address=address.partition("#")[2])
    until(other.page, "typeof page !== 'undefined' && page.time > 0")
    assert other.page.evaluate(state) == page.evaluate(state)
    assert other.page.locator("#notice").is_hidden()
    other.close()
    assert other.problems == []


@pytest.mark.parametrize(
    "address, word",
    [
        ("#NoSuchModel", "NoSuchModel"),
        ("#situation=moon", "moon"),
        ("#1=LuGre&1.colour=3", "colour"),
        ("#1=LuGre&1.staticFriction=much", "much"),
        ("#situation=belt&mass=-1", "mass"),
        ("#1=LuGre&1.set=mine", "mine"),
        ("#2.staticFriction=1", "staticFriction"),
        ("#1=%E0%A4%A", "%E0"),
    ],
)
def test_a_wrong_address_says_so_in_one_line(page, address, word):
    go(page, address)
    notice = page.locator("#notice")
    assert (
        notice.is_visible()
        and word in notice.inner_text()
        and "\n" not in notice.inner_text()
        and notice.inner_text().endswith(".")
    )
    assert page.evaluate("page.slots.length > 0 && page.slots.every((slot) => slot.running)"), (
        "the page works all the same"
    )


def test_a_body_can_be_grabbed_and_thrown_and_pressed_with_the_mouse(page):
    go(page, "#situation=pulse&1=LuGre")
    page.evaluate("page.settings = { load: 0 }; page.restart()")
    page.wait_for_timeout(100)
    box = page.locator("#scene").bounding_box()
    x, y = page.evaluate(
        "(() => { const slot = page.slot, at = page.scene.bodyPlace(slot, page.scene.place); return"
        " [at.x, 58]; })()"
    )
    page.mouse.move(box["x"] + x, box["y"] + y)
    page.mouse.down()
    page.mouse.move(box["x"] + x + 300, box["y"] + y + 50, steps=5)
    until(page, "page.slot.now('position') > 1e-6")
    assert page.evaluate("page.slot.now('normal')") > 9.81 * 1.2, "pressed down"
    page.mouse.up()
    until(page, "Math.abs(page.slot.now('normal') - 9.81) < 1e-9")
    assert page.evaluate("page.slot.problem") == ""


def test_a_finger_lifts_the_body_and_scrolls_beside_it(browser):
    watched = Watched(
        browser,
        PAGE,
        address="situation=belt&1=LuGre",
        viewport={"width": 390, "height": 600},
        has_touch=True,
        is_mobile=True,
    )
    page = watched.page
    until(page, "typeof page !== 'undefined' && page.time > 0")
    box = page.locator("#scene").bounding_box()
    body = page.evaluate("page.scene.bodyPlace(page.slot, page.scene.place).x")
    fingers = page.context.new_cdp_session(page)

    def draw(x):
        y = box["y"] + 58
        fingers.send(
            "Input.dispatchTouchEvent",
            {"type": "touchStart", "touchPoints": [{"x": box["x"] + x, "y": y}]},
        )
        for way in range(10, 121, 10):
            fingers.send(
                "Input.dispatchTouchEvent",
                {"type": "touchMove", "touchPoints": [{"x": box["x"] + x, "y": y - way}]},
            )

    draw(body)
    until(page, "page.slot.now('normal') < 0")
    assert page.evaluate("scrollY") == 0
    fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    draw(body + 100)
    until(page, "scrollY > 50")
    fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    watched.close()
    assert watched.problems == []


def test_the_scene_and_the_run_obey_the_keyboard(page):
    go(page, "#situation=belt&1=LuGre")
    page.locator("#scene").focus()
    page.keyboard.down("ArrowUp")
    until(page, "page.slot.now('normal') < 0 && page.slot.now('force') === 0")
    page.keyboard.up("ArrowUp")
    until(page, "page.slot.now('normal') > 9")
    page.keyboard.press("Space")
    assert page.evaluate("page.playing") is False
    before = page.evaluate("page.advance(5), page.time")
    page.keyboard.press("r")
    assert page.evaluate("page.playing && page.time") < before - 1
    reached = set()
    page.evaluate("document.activeElement.blur()")
    for _ in range(
        page.evaluate(
            "document.querySelectorAll('a, button, select, input, summary, [tabindex]').length"
        )
        + 1
    ):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate(
                "document.activeElement.id || document.activeElement.className ||"
                " document.activeElement.tagName"
            )
        )
    assert {"situation", "play", "restart", "pace", "scene"} <= reached


def test_every_control_and_picture_has_a_name_for_a_screen_reader(page):
    go(page, "#situation=belt&1=LuGre&2=ImplicitBristle")
    page.evaluate("page.describe()")
    nameless = page.evaluate(
        """[...document.querySelectorAll("button, select, input, canvas")].filter((one) =>
        !(one.ariaLabel || one.getAttribute("aria-label") || one.labels?.length ||
            one.textContent.trim())).map((one) => one.outerHTML)"""
    )
    assert nameless == []
    assert "LuGre" in page.locator("#force-time").get_attribute("aria-label")


def test_verdict_tells_what_the_report_measures(page):
    go(page, "#situation=pulse&1=LuGre&2=SecondOrderBristle&3=StaticRegularized")
    cells = "[...document.querySelectorAll('#verdict tbody td')]"
    until(page, f"{cells}.length === 15 && {cells}.every((one) => one.textContent !== '…')")
    rows = page.locator("#verdict tbody tr").evaluate_all(
        "rows => rows.map((row) => [...row.cells].map((cell) => cell.innerText))"
    )
    lugre, second, static = rows
    assert lugre[2].endswith("µm") and 15 < float(lugre[2].split()[0]) < 25, (
        "Rill 2023: 21.3 µm under 2 N; a third of the limit is 1.96 N"
    )
    assert second[1:3] == ["yes", "none"]
    assert static[1].startswith("creeps")


def test_what_is_taken_along_is_what_runs(page):
    go(page, "#situation=belt&1=LuGre&1.set=rill2023_model1&1.staticFriction=0.5&springStiffness=3")
    ssv = page.evaluate("ssvText(page.slot, page.catalogue.version)")
    values = {
        one.get("name"): float(one[0].get("value"))
        for one in ElementTree.fromstring(ssv).iter(f"{{{NAMESPACE}}}Parameter")
    }
    assert values == page.evaluate("({ ...page.slot.element.parameters, ...page.slot.options })")
    lugre = read_description(REPOSITORY / "modelDescription" / "LuGre.toml")
    ours = ElementTree.fromstring(ssv_text(parameter_sets(lugre, REPOSITORY / "resources")[0]))
    assert (
        ElementTree.fromstring(ssv).tag == ours.tag
        and ElementTree.fromstring(ssv).attrib.keys() == ours.attrib.keys()
    )
    lines = dict(
        zip(
            page.locator("#take-lines h3").all_inner_texts(),
            page.locator("#take-lines pre").all_inner_texts(),
            strict=True,
        )
    )
    assert (
        '"staticFriction": 0.5' in lines["FMPy"] and "staticFriction = 0.5" in lines["OpenModelica"]
    )
    arguments = lines["rig"].replace("\\\n", " ").replace('"', "").split()
    assert (
        arguments[0] == "build/rig/rig"
        and arguments[2] == "dist/LuGre.fmu"
        and arguments[-2:] == ["-o", "out.csv"]
    )
    last = rig(arguments[1], FOLDER / "LuGre.fmu", *arguments[3:-2])[-1]
    page.evaluate("page.playing = false; page.slot.advance(page.situation.stop, 60000)")
    assert page.evaluate("page.slot.now('position')") == pytest.approx(
        float(last["position"]), rel=1e-3
    )
    table = list(csv.DictReader(io.StringIO(page.evaluate("csvText(page.slots)"))))
    assert last.keys() - table[0].keys() == set() and float(table[-1]["time"]) > 19
    svg = ElementTree.fromstring(page.evaluate("page.picture()"))
    assert (
        svg.tag.endswith("svg")
        and len([one for one in svg.iter() if one.tag.endswith("polyline")]) > 10
    )
    assert page.evaluate("pngBlob(page.picture()).then((blob) => blob.size)") > 10_000


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1400])
def test_page_fits_screen_and_colour_scheme(browser, scheme, width):
    watched = Watched(browser, PAGE, color_scheme=scheme, viewport={"width": width, "height": 800})
    until(watched.page, "typeof page !== 'undefined' && page.time > 0")
    watched.page.locator("#equations summary").click()
    assert watched.page.locator("#equations math").count() > 2
    check_fits(watched, scheme, width)
