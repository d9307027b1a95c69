# SPDX-License-Identifier: GPL-2.0-only
"""A headless Chromium, driven through ChromeDriver: pages are loaded, typed into and asked."""

import base64
import json
import re
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request

import process

# Hours: the runner of the tests ends what hangs.
TIMEOUT_MS = 10 * 3600 * 1000
STARTED = re.compile(rb"started successfully on port (\d+)")
# Without the last ones it asks its maker's hosts for this and that.
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--window-size=1300,800",
    "--force-device-scale-factor=1",
    "--no-first-run",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Control": "\ue009", "Home": "\ue011", "Shift": "\ue008"}


def missing():
    """What is not installed, None if all is."""
    return next((name for name in ("chromedriver", "chromium") if not shutil.which(name)), None)


class Browser:
    """One session with one window."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.url = f"http://127.0.0.1:{self.read_port()}"
        options = {
            "binary": shutil.which("chromium"),
            "args": [*FLAGS, f"--user-data-dir={self.profile.name}"],
        }
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}, "timeouts": {"script": TIMEOUT_MS, "pageLoad": TIMEOUT_MS}}
        try:
            session = self.call("POST", "/session", capabilities={"alwaysMatch": wanted})
        except BaseException:
            self.driver.kill()
            raise
        self.url += f"/session/{session['sessionId']}"

    def read_port(self):
        """The port that ChromeDriver chose; it is printed before ChromeDriver accepts commands."""
        for line in self.driver.stdout:
            found = STARTED.search(line)
            if found:
                return int(found[1])
        raise RuntimeError(f"chromedriver ended with status {self.driver.wait()}")

    def call(self, method, path, **body):
        """One command; returns its value."""
        data = json.dumps(body).encode() if method == "POST" else None
        request = urllib.request.Request(self.url + path, data, method=method)
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as problem:
            raise RuntimeError(json.load(problem)["value"]["message"]) from None

    def load(self, path):
        """Loads a file."""
        self.call("POST", "/url", url=path.resolve().as_uri())

    def run(self, script, *arguments):
        """What a script returns, or what a promise of it comes to."""
        return self.call("POST", "/execute/sync", script=script, args=list(arguments))

    def act(self, *devices):
        """Lets keys, mouse and wheel act."""
        self.call("POST", "/actions", actions=list(devices))

    def press(self, *keys):
        """Presses keys one after the other."""
        texts = [KEYS.get(key, key) for key in keys]
        steps = [{"type": kind, "value": key} for key in texts for kind in ("keyDown", "keyUp")]
        self.act({"type": "key", "id": "keys", "actions": steps})

    def search(self, text):
        """Types a search; returns when it is over, which takes its time on a busy machine."""
        self.press("/", *text)
        self.run("return ktrack.search.search?.done.then(() => true);")

    def click(self, x, y):
        """Clicks at a place of the window."""
        steps = [
            {"type": "pointerMove", "x": int(x), "y": int(y), "duration": 0},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        self.act({"type": "pointer", "id": "mouse", "actions": steps})

    def drag(self, x, y, to_x, to_y, with_shift=False):
        """Drags from one place to another, with the shift key held or not."""
        steps = [
            {"type": "pointerMove", "x": int(x), "y": int(y), "duration": 0},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerMove", "x": int(to_x), "y": int(to_y), "duration": 0},
            {"type": "pointerUp", "button": 0},
        ]
        keys = [{"type": kind, "value": KEYS["Shift"]} for kind in ("keyDown", "keyUp")]
        if with_shift:
            self.act({"type": "key", "id": "keys", "actions": keys[:1]})
        self.act({"type": "pointer", "id": "mouse", "actions": steps})
        if with_shift:
            self.act({"type": "key", "id": "keys", "actions": keys})

    def pinch(self, y, *fingers):
        """Puts down fingers, each at its first x, and moves all to their next ones, then lifts them."""
        devices = []
        for number, places in enumerate(fingers):
            moves = [
                {"type": "pointerMove", "x": int(x), "y": int(y), "duration": 0} for x in places
            ]
            steps = [moves[0], {"type": "pointerDown", "button": 0}, *moves[1:]]
            devices.append(
                {
                    "type": "pointer",
                    "id": f"finger {number}",
                    "parameters": {"pointerType": "touch"},
                    "actions": [*steps, {"type": "pointerUp", "button": 0}],
                }
            )
        self.act(*devices)

    def turn(self, x, y, turn, with_control=False, times=1):
        """Turns the wheel at a place, with the control key held or not."""
        pause = {"type": "pause", "duration": 0}
        step = {"type": "scroll", "x": int(x), "y": int(y), "deltaX": 0, "deltaY": turn}
        devices = [{"type": "wheel", "id": "wheel", "actions": [pause, *[step] * times, pause]}]
        if with_control:
            keys = [
                {"type": "keyDown", "value": KEYS["Control"]},
                *[pause] * times,
                {"type": "keyUp", "value": KEYS["Control"]},
            ]
            devices.append({"type": "key", "id": "keys", "actions": keys})
        self.act(*devices)

    def complaints(self):
        """What pages wrote to the console since the last time, but for advice on our looking."""
        said = [one["message"] for one in self.call("POST", "/se/log", type="browser")]
        return [message for message in said if "willReadFrequently" not in message]

    def picture(self):
        """A screenshot, as PNG."""
        return base64.b64decode(self.call("GET", "/screenshot"))

    def close(self):
        """Ends it all."""
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            process.wait(self.driver)
            self.profile.cleanup()
