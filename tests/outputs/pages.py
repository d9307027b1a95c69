# SPDX-License-Identifier: GPL-2.0-only
"""Pages made of recordings, and what is asked of them in a browser."""

import tempfile
from pathlib import Path

import cases
import process
from browser import Browser, missing

# ChromeDriver waits a minute for its browser, which is not enough on a machine that stands still.
STARTS = 5
# The whole drawn, whatever is left for later frames.
DRAW = "const p = ktrack.picture; do { p.isAsked = true; p.draw(); } while (p.isRough); p.isAsked = false;"
SPAN = "const { from, to } = ktrack.picture.span; return [from, to];"


def start_browser(tap):
    """A browser; None if there is none, which is skipped."""
    absent = missing()
    if absent:
        tap.skip("the page in a browser", f"{absent} is not installed")
        return None
    for _ in range(STARTS):
        try:
            return Browser()
        except (RuntimeError, OSError) as problem:
            reason = str(problem).splitlines()[0]
    tap.skip("the page in a browser", f"it does not start here: {reason}")
    return None


def visit_pages(tap, checks):
    """Runs checks(tap, pages) in a browser, each on its own; returns the exit status."""
    browser = start_browser(tap)
    if not browser:
        return tap.finish()
    try:
        with tempfile.TemporaryDirectory() as folder:
            pages = Pages(browser, folder)
            for check in checks:
                tap.isolated(check)(tap, pages)
            tap.nothing(browser.complaints(), "no complaints in the console")
    finally:
        browser.close()
    return tap.finish()


class Pages:
    """Pages made of recordings, in a browser."""

    def __init__(self, browser, folder):
        self.browser, self.folder = browser, Path(folder)

    def load(self, make, *words):
        """Makes a trace.dat, exports it and loads the page; returns (EVENT, what is wrong)."""
        make(self.folder / "trace.dat")
        command = ("export", "--event", "--html=page.html", *words, "trace.dat")
        stream, wrong = cases.run(self.folder, *command)
        self.browser.load(self.folder / "page.html")
        return stream, wrong

    def load_case(self, name, *words):
        """The same of a golden case."""
        return self.load(lambda path: cases.make(name, path), *cases.rules_of(name), *words)

    def load_text(self, text, *words):
        """The same of a script's text."""
        return self.load(lambda path: cases.make_of(text, path), *words)

    def place_of(self, track, depth, time_ns):
        """Where something is in the window."""
        return self.browser.run(
            """const p = ktrack.picture, box = p.canvas.getBoundingClientRect();
            const track = p.recording.tracks[arguments[0]], row = track.rows.find(({ depth }) => depth === arguments[1]);
            return [box.left + p.xOf(arguments[2]), box.top + p.topOf(track) + ((row ? p.indexOf(row) : arguments[1]) + 0.5) * LANE];""",
            track,
            depth,
            time_ns,
        )

    def details(self):
        """What the panel says, when it is there."""
        return self.browser.run(
            """const panel = document.getElementById("details");
            await ktrack.showDetails(ktrack.picture.selected);
            return panel.innerText;"""
        )


def changed_span(browser, before):
    """The span once it is another one; wheel and mouse act when the browser gets to it."""
    return process.wait_for(lambda: [span for span in (browser.run(SPAN),) if span != before], browser.driver)[0]
