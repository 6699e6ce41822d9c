"""A headless Chromium, spoken to through pipes by the DevTools protocol: no other package is needed."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ["chromium", "chromium-browser", "google-chrome"]


class Browser:
    def __init__(self):
        program = next((found for found in map(shutil.which, NAMES) if found), None)
        if program is None:
            raise SystemExit("no Chromium here: apt-get install chromium")
        self.home = tempfile.mkdtemp(prefix="beadwork-browser-")
        to_browser, self.out = os.pipe()
        self.into, from_browser = os.pipe()
        # The browser reads commands from 3 and writes answers to 4. WebGL is drawn by the processor.
        options = [
            "--headless=new", "--no-sandbox", "--remote-debugging-pipe", f"--user-data-dir={self.home}",
            "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist",
            "--hide-scrollbars", "--no-first-run", "--disable-background-networking", "--disable-component-update",
            "about:blank",
        ]
        command = 'exec "$0" "$@" 3<&%d 4>&%d' % (to_browser, from_browser)
        self.process = subprocess.Popen(
            ["bash", "-c", command, program, *options],
            pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.rest, self.number, self.events = b"", 0, []
        page = next(one for one in self.send("Target.getTargets")["targetInfos"] if one["type"] == "page")
        self.session = self.send("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]

    def send(self, method, **parameters):
        """Sends a command and returns its result; events that come before it are kept."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if hasattr(self, "session") and not method.startswith("Target."):
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.next_message(120)
            if answer is None:
                raise RuntimeError(f"{method} had no answer")
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def next_message(self, seconds):
        deadline = time.monotonic() + seconds
        while b"\0" not in self.rest:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.into], [], [], left)[0]:
                return None
            part = os.read(self.into, 1 << 20)
            if not part:
                raise RuntimeError("the browser ended")
            self.rest += part
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def listen(self, seconds):
        """Keeps the events of some time."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            message = self.next_message(left)
            if message is not None:
                self.events.append(message)

    def value(self, expression):
        """The value of an expression in the page; promises are waited for."""
        answer = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def open(self, path):
        self.events = []
        for domain in ["Page", "Network", "Log", "Runtime"]:
            self.send(f"{domain}.enable")
        self.send("Page.navigate", url="file://" + os.path.abspath(path))
        deadline = time.monotonic() + 60
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            if time.monotonic() > deadline:
                raise RuntimeError(f"{path} was not loaded")
            self.listen(0.2)

    def complaints(self, path):
        """Requests for anything but the page and data in it, messages of the console, exceptions."""
        own = "file://" + os.path.abspath(path)
        found = []
        for event in self.events:
            method, about = event.get("method"), event.get("params", {})
            if method == "Network.requestWillBeSent":
                url = about["request"]["url"]
                if url != own and not url.startswith(("data:", "about:")):
                    found.append(f"request: {url[:200]}")
            elif method == "Log.entryAdded":
                entry = about["entry"]
                if entry["level"] in ("error", "warning"):
                    found.append(f"{entry['level']}: {entry['text'][:300]}")
            elif method == "Runtime.consoleAPICalled" and about["type"] in ("error", "warning", "assert"):
                words = [str(one.get("value", one.get("description"))) for one in about["args"]]
                found.append(f"console: {' '.join(words)[:300]}")
            elif method == "Runtime.exceptionThrown":
                found.append(f"exception: {json.dumps(about['exceptionDetails'])[:400]}")
        return found

    def size(self, width, height):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def colours(self, scheme):
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def screenshot(self, path, whole=True):
        shot = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def print(self, path):
        pdf = self.send("Page.printToPDF", printBackground=True, preferCSSPageSize=True, paperWidth=8.27, paperHeight=11.69)
        with open(path, "wb") as file:
            file.write(base64.b64decode(pdf["data"]))

    def close(self):
        self.process.terminate()
        self.process.wait()
        os.close(self.out)
        os.close(self.into)
        shutil.rmtree(self.home, ignore_errors=True)
