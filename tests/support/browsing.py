"""Opens pages in a real browser, without a network."""

import re
from contextlib import contextmanager
from importlib.resources import files

from playwright.sync_api import sync_playwright

CHROMIUM = "/usr/bin/chromium"
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync"
).split()


@contextmanager
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


class Watched:
    """A page that records its errors and its requests."""

    def __init__(self, browser, file, address="", **options):
        self.context = browser.new_context(
            offline=True, **({"viewport": {"width": 1400, "height": 900}} | options)
        )
        self.page = self.context.new_page()
        self.problems, self.requests = [], []
        self.page.on(
            "console",
            lambda message: (
                message.type in ("error", "warning") and self.problems.append(message.text)
            ),
        )
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.visit(file, address)

    def visit(self, file, address=""):
        """Opens another page in its place and clears the records."""
        self.problems.clear()
        self.requests.clear()
        self.page.goto(f"{file.as_uri()}#{address}" if address else file.as_uri())

    def close(self):
        self.context.close()


WIDTHS = (1280, 390, 320)
SCHEMES = ("light", "dark")
AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
COLOUR_RULES = ["color-contrast", "link-in-text-block"]  # of axe
FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
RUN = """(options) => axe.run(document, { resultTypes: ["violations"], ...options })"""


def violations(page, widths=WIDTHS, schemes=SCHEMES):
    """Lists the findings of axe on an open page, and the widths at which it is wider than the
    screen: colours in each scheme, everything else at each width."""
    page.add_script_tag(content=AXE)
    found = []

    def check(where, options):
        for one in page.evaluate(RUN, options)["violations"]:
            nodes = [node["html"][:120] for node in one["nodes"][:3]]
            found.append(f"{where}: {one['id']}, {len(one['nodes'])} times: {nodes}")

    for width in widths:
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(FRAMES)  # plots are redrawn in the frame after a change of the window
        wide = page.evaluate("document.documentElement.scrollWidth")
        if wide > width:
            found.append(f"{width} px: {wide} px wide")
        check(f"{width} px", {"rules": {name: {"enabled": False} for name in COLOUR_RULES}})
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        check(scheme, {"runOnly": COLOUR_RULES})
    return found


def check_fits(watched, scheme, width):
    """Checks that a page is no wider than the screen and has the colours that it asks for; closes
    it."""
    assert watched.page.evaluate("document.documentElement.scrollWidth") <= width
    background = watched.page.evaluate("getComputedStyle(document.body).backgroundColor")
    brightness = sum(map(int, re.findall(r"\d+", background)[:3])) / 3
    assert brightness > 200 if scheme == "light" else brightness < 60
    watched.close()
    assert watched.problems == []
