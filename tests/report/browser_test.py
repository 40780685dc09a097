#!/usr/bin/env python3
"""browser_test.py PAGE.html DIR: opens a report in headless Chromium, uses it, and writes
screenshots into DIR. Exit code 0: all claims hold; 1: one does not; 77: no browser (CTest: skipped).
"""
import base64
import pathlib
import shutil
import sys
import tempfile
import zlib

import devtools

PHONE = {"width": 375, "height": 812, "deviceScaleFactor": 2, "mobile": True}
DESKTOP = {"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": False}


class Page:
    """A report in a browser tab, and what the claims ask of it."""

    def __init__(self, browser, path, folder):
        self.browser, self.path, self.folder = browser, path, folder

    def open(self, size, fragment="", scheme="light"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.browser.call("Emulation.setDeviceMetricsOverride", **size)
        self.browser.call("Emulation.setTouchEmulationEnabled", enabled=size["mobile"])
        self.browser.call("Emulation.setEmulatedMedia", features=features)
        self.browser.events.clear()
        self.browser.call("Page.navigate", url="about:blank")
        self.browser.wait_for("Page.loadEventFired")
        self.browser.call("Page.navigate", url=self.path.as_uri() + fragment)
        self.browser.wait_for("Page.loadEventFired")
        self.value("new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")

    def value(self, expression):
        return self.browser.evaluate(expression)

    def root(self, name):
        return int(self.value(f"document.documentElement.dataset.{name}"))

    def range(self):
        return self.value("document.querySelector('.range').textContent")

    def box(self, selector):
        return self.value(
            f"(() => {{ const n = document.querySelector({selector!r}); n.scrollIntoView({{block: "
            "'center', behavior: 'instant'}); const b = n.getBoundingClientRect();"
            "return {x: b.x, y: b.y, w: b.width, h: b.height}; })()")

    def key(self, key):
        for kind in ("keyDown", "keyUp"):
            self.browser.call("Input.dispatchKeyEvent", type=kind, key=key)

    def mouse(self, kind, x, y, buttons=1):
        self.browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left",
                          buttons=buttons, clickCount=1)

    def drag(self, begin, end, y):
        self.mouse("mousePressed", begin, y)
        for step in range(1, 6):
            self.mouse("mouseMoved", begin + (end - begin) * step / 5, y)
        self.mouse("mouseReleased", end, y, 0)

    def touch(self, kind, *xs_and_y):
        *xs, y = xs_and_y
        points = [{"x": x, "y": y, "id": i} for i, x in enumerate(xs)]
        self.browser.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    def screenshot(self, name):
        shot = self.browser.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        data = base64.b64decode(shot["data"])
        (self.folder / f"{name}.png").write_bytes(data)
        return inked_share(data)


def inked_share(png):
    """Share of a PNG's filtered bytes that differ from a plain surface: 0 for a blank image."""
    at, packed = 8, b""
    while at < len(png):
        length = int.from_bytes(png[at:at + 4], "big")
        if png[at + 4:at + 8] == b"IDAT":
            packed += png[at + 8:at + 8 + length]
        at += 12 + length
    pixels = zlib.decompress(packed)
    return 1.0 - pixels.count(0) / len(pixels)


FAILED = []


def claim(holds, what):
    print(("ok    " if holds else "FAILED"), what, flush=True)
    if not holds:
        FAILED.append(what)


def claims_at_rest(page, name):
    charts = page.value("document.querySelectorAll('figure[data-section]').length")
    claim(charts > 0 and page.root("chartsDrawn") == charts, f"{name}: all {charts} charts are drawn")
    claim(page.root("errors") == 0, f"{name}: no script error")
    claim(page.root("overflow") == 0, f"{name}: no sideways scrolling of the page")
    claim(page.screenshot(name) > 0.002, f"{name}: the screenshot is not blank")


def claims_about_network(page):
    requests = [event["params"]["request"]["url"] for event in page.browser.events
                if event["method"] == "Network.requestWillBeSent"]
    outside = [url for url in requests if not url.startswith(("file:", "data:"))]
    claim(requests and not outside, f"only the file itself is asked for {outside}")


def claims_about_text(page):
    claim(page.value("document.querySelectorAll('img').length") == 0, "names stay text")
    claim(page.value("document.title.length") > 0, "the page has a title")
    claim(page.value("[...document.querySelectorAll('canvas[role], .plot-frame')].every("
                     "n => n.getAttribute('aria-label'))"), "charts say what they show")
    levels = page.value("[...document.querySelectorAll('h1,h2,h3,h4')].map(h => +h.tagName[1])")
    claim(levels[0] == 1 and all(b - a <= 1 for a, b in zip(levels, levels[1:])),
          "headings do not skip a level")


def claims_about_zoom(page):
    page.value("document.querySelector('.plot-frame').focus()")
    page.key("0")  # a page may begin with a part of what it has
    whole = page.range()
    page.key("ArrowUp")
    zoomed = page.range()
    claim(zoomed != whole, f"arrow up zooms in: {whole} -> {zoomed}")
    page.key("ArrowRight")
    claim(page.range() not in (zoomed, whole), f"arrow right moves: {page.range()}")
    page.key("0")
    claim(page.range() == whole, "0 shows everything again")
    page.value("document.querySelector('.toolbar button').focus()")
    page.browser.call("Input.dispatchKeyEvent", type="keyDown", key="Enter", text="\r")
    page.browser.call("Input.dispatchKeyEvent", type="keyUp", key="Enter")
    claim(page.range() == zoomed, "the button works with the keyboard")
    page.value("document.querySelectorAll('.toolbar button')[4].click()")
    box = page.box(".plot")
    page.drag(box["x"] + 0.4 * box["w"], box["x"] + 0.6 * box["w"], box["y"] + box["h"] / 2)
    claim(page.range() != whole, f"a mouse drag zooms: {page.range()}")
    page.screenshot("zoomed")
    page.value("document.querySelectorAll('.toolbar button')[4].click()")
    claim(page.range() == whole, "Reset shows everything again")


def claims_about_links(page):
    """A chart of residuals shows the time that the chart of readings above it shows."""
    linked = page.value("document.querySelectorAll('.plot.low').length > 0")
    if not linked:
        return
    ticks = ("(() => { const low = document.querySelector('.plot.low'); const high = [...document"
             ".querySelectorAll('.plot')].find(one => one !== low); return [high, low].map(one => "
             "[...one.querySelectorAll('.dygraph-axis-label-x')].map(n => n.textContent)"
             ".join(' ')); })()")
    first = page.value(ticks)
    claim(first[0] == first[1], f"charts of one time show the same of it: {first[1]}")
    page.value("document.querySelector('.plot-frame').focus()")
    page.key("ArrowRight")
    moved = page.value(ticks)
    claim(moved[0] == moved[1] and moved != first, f"and move together: {moved[1]}")


def claims_about_touch(page):
    whole = page.range()
    box = page.box(".plot")
    x, y = box["x"] + box["w"] / 2, box["y"] + box["h"] / 2
    page.touch("touchStart", x - 30, x + 30, y)
    for spread in (45, 60, 75):
        page.touch("touchMove", x - spread, x + spread, y)
    page.touch("touchEnd", y)
    claim(page.range() != whole, f"a pinch zooms: {whole} -> {page.range()}")


def claims_about_captions(page):
    """The caption of a wide table stays in sight while the table scrolls under it."""
    wide, moved = page.value(
        "(() => { document.querySelectorAll('details').forEach(one => { one.open = true; });"
        "const wide = [...document.querySelectorAll('.table')].filter(box => box.scrollWidth > "
        "box.clientWidth); const moved = wide.map(box => { const at = () => box.querySelector("
        "'caption').getBoundingClientRect().x; const before = at(); box.scrollLeft = "
        "box.scrollWidth; return Math.abs(at() - before); }); return [wide.length, "
        "Math.max(0, ...moved)]; })()")
    claim(moved < 1, f"captions of {wide} wide tables stay ({moved} pixels)")
    page.screenshot("phone-scrolled")


def claims_about_legend(page):
    ink = ("(() => { const c = document.querySelector('.plot canvas'); const d = c.getContext('2d')"
           ".getImageData(0, 0, c.width, c.height).data; let n = 0; for (let i = 3; i < d.length;"
           " i += 4) n += d[i] > 0; return n; })()")
    before = page.value(ink)
    page.value("document.querySelectorAll('.legend input').forEach(box => box.click())")
    after = page.value(ink)
    claim(after < before / 2, f"unchecked curves disappear ({before} -> {after} pixels)")


def claims_about_theme(page):
    colour = "getComputedStyle(document.body).backgroundColor"
    dark = page.value(colour)
    page.value("document.getElementById('theme').click()")
    claim(page.value(colour) != dark, "the button changes the theme")
    claim(page.root("errors") == 0, "and causes no error")


def claims_without_scripts(page):
    page.browser.call("Emulation.setScriptExecutionDisabled", value=True)
    page.browser.events.clear()
    page.browser.call("Page.navigate", url=page.path.as_uri() + "?noscript")
    page.browser.wait_for("Page.loadEventFired")
    document = page.browser.call("DOM.getDocument")["root"]["nodeId"]

    def shown(selector):
        node = page.browser.call("DOM.querySelector", nodeId=document, selector=selector)["nodeId"]
        try:
            page.browser.call("DOM.getBoxModel", nodeId=node)
            return True
        except RuntimeError:
            return False

    claim(shown("noscript p"), "without JavaScript the page says so")
    claim(shown("table") and not shown("figure"), "and shows tables, no empty charts")
    page.screenshot("noscript")
    page.browser.call("Emulation.setScriptExecutionDisabled", value=False)


def check(browser, path, folder):
    page = Page(browser, path, folder)
    for domain in ("Page", "Runtime", "Network", "DOM"):
        browser.call(f"{domain}.enable")
    page.open(DESKTOP)
    claims_about_network(page)
    claims_at_rest(page, "desktop-light")
    claims_about_text(page)
    # Charts over time can be zoomed; a page may have none.
    in_time = page.value("document.querySelectorAll('.plot-frame').length > 0")
    if in_time:
        claims_about_zoom(page)
        page.open(DESKTOP)
        claims_about_links(page)
        claims_about_legend(page)
    claim(page.root("errors") == 0, "using the page causes no error")
    pdf = browser.call("Page.printToPDF", printBackground=False)["data"]
    (folder / "print.pdf").write_bytes(base64.b64decode(pdf))
    claim(page.root("errors") == 0, "printing causes no error")
    page.open(DESKTOP, scheme="dark")
    claims_at_rest(page, "desktop-dark")
    claims_about_theme(page)
    page.open(DESKTOP, fragment="#dark")
    claim(page.value("document.documentElement.dataset.theme") == "dark", "#dark asks for dark")
    page.open(PHONE)
    claims_at_rest(page, "phone-light")
    if in_time:
        claims_about_touch(page)
    claims_about_captions(page)
    page.open(PHONE, scheme="dark")
    claims_at_rest(page, "phone-dark")
    page.open(DESKTOP)
    claims_without_scripts(page)


def main(arguments):
    if len(arguments) != 2:
        print(__doc__)
        return 2
    path, folder = pathlib.Path(arguments[0]).resolve(), pathlib.Path(arguments[1])
    folder.mkdir(parents=True, exist_ok=True)
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if not program:
        print("skipped: no Chromium here (apt-get install chromium)")
        return 77
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        try:
            browser = devtools.Browser(program, profile)
        except devtools.CannotStart as reason:
            print(f"skipped: Chromium cannot start: {reason}")
            return 77
        try:
            check(browser, path, folder)
        finally:
            browser.close()
    print(f"{len(FAILED)} claims failed" if FAILED else "all claims hold")
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
