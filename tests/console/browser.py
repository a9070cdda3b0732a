"""Headless Chromium, controlled by its DevTools protocol over a pipe. Needs only Python's standard library."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


class Browser:
    """One page of one browser. Errors of a page's scripts, and what its policy refused, fail the test that looks at `problems`."""

    def __init__(self, width=1280, height=900):
        program = shutil.which("chromium") or shutil.which("chromium-browser")
        if program is None:
            raise SystemExit("chromium is missing: apt-get install chromium")
        self.directory = tempfile.mkdtemp(prefix="klip_browser_")
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()

        def three_and_four():
            # Free numbers first: one of the pipes may be 3 or 4 itself.
            ends = [os.dup(to_browser), os.dup(from_browser)]
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        options = ["--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage",
                   "--force-color-profile=srgb", f"--user-data-dir={self.directory}", f"--window-size={width},{height}"]
        if os.getuid() == 0:
            options.append("--no-sandbox")
        self._process = subprocess.Popen([program, *options, "about:blank"], close_fds=False, preexec_fn=three_and_four,
                                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._rest = b""
        self._last = 0
        self._session = None
        self.problems = []
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(domain + ".enable")
        self.size(width, height)

    def close(self):
        self._session = None
        try:
            self._call("Browser.close")
        except (OSError, EOFError, TimeoutError):
            pass
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)

    # --- What a user does ---

    def open(self, url):
        self._call("Page.navigate", url=url)
        self.wait_for("document.readyState == 'complete'")

    def size(self, width, height, phone=False):
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)

    def dark(self, on):
        self._call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if on else "light"}])

    def key(self, name, code=None):
        """One key, by its DOM name: "Tab", "Enter", "ArrowRight"."""
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
        text = {"text": "\r"} if name == "Enter" else {}
        self._call("Input.dispatchKeyEvent", type="keyDown", key=name, windowsVirtualKeyCode=code or codes[name], **text)
        self._call("Input.dispatchKeyEvent", type="keyUp", key=name, windowsVirtualKeyCode=code or codes[name])

    def type(self, selector, text):
        self.run(f"document.querySelector({json.dumps(selector)}).focus()")
        self._call("Input.insertText", text=text)

    def click(self, selector):
        box = self.run(f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{block: 'center'}});"
                       " const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()")
        self.click_at(*box)

    def click_at(self, x, y):
        self.drag(x, y, x, y)

    def drag(self, x, y, to_x, to_y):
        mouse = lambda kind, px, py: self._call("Input.dispatchMouseEvent", type=kind, x=px, y=py, button="left", clickCount=1,
                                                buttons=0 if kind == "mouseReleased" else 1)
        mouse("mousePressed", x, y)
        if (x, y) != (to_x, to_y):
            mouse("mouseMoved", (x + to_x) / 2, (y + to_y) / 2)
            mouse("mouseMoved", to_x, to_y)
        mouse("mouseReleased", to_x, to_y)

    # --- What a user sees ---

    def run(self, script):
        answer = self._call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise AssertionError(f"{script}: {answer['exceptionDetails']['exception'].get('description')}")
        return answer["result"].get("value")

    def wait_for(self, script, seconds=60):
        end = time.monotonic() + seconds
        while not self.run(f"Boolean({script})"):
            if time.monotonic() > end:
                raise AssertionError(f"not within {seconds} s: {script}; the page says: {self.text()[:2000]}")
            self._read(0.02)

    def text(self):
        return self.run("document.body.innerText")

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self._call("Page.captureScreenshot", format="png")["data"]))

    # --- The protocol: messages that end in NUL ---

    def _call(self, method, **parameters):
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + 60
        while time.monotonic() < end:
            for answer in self._read(1):
                if answer.get("id") == self._last:
                    if "error" in answer:
                        raise AssertionError(f"{method}: {answer['error']}")
                    return answer["result"]
        raise TimeoutError(method)

    def _read(self, seconds):
        """The messages that come within this time; those that tell of a problem are kept."""
        if not select.select([self._in], [], [], seconds)[0]:
            return []
        piece = os.read(self._in, 1 << 20)
        if not piece:
            raise EOFError("the browser ended")
        *whole, self._rest = (self._rest + piece).split(b"\0")
        messages = [json.loads(one) for one in whole]
        for message in messages:
            parameters = message.get("params", {})
            if message.get("method") == "Runtime.exceptionThrown":
                self.problems.append(parameters["exceptionDetails"].get("exception", {}).get("description", "exception"))
            elif message.get("method") == "Log.entryAdded" and parameters["entry"]["level"] == "error":
                self.problems.append(parameters["entry"]["text"] + " " + parameters["entry"].get("url", ""))
        return messages
