"""Controls Chromium through its driver, by the few commands of the W3C protocol that the tests
need."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# Limit of a command to the browser.
_SECONDS = 60
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the protocol's name for a reference
KEYS = {"Left": "\ue012", "Up": "\ue013", "Right": "\ue014", "Down": "\ue015", "Tab": "\ue004"}


class Browser:
    """A browser window without a screen. Its methods raise AssertionError if the browser reports an
    error."""

    def __init__(self, address: str, profile: Path) -> None:
        self._address = address
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                     "--disable-dev-shm-usage", f"--user-data-dir={profile}"]  # fmt: skip
        wanted = {
            "browserName": "chrome",
            "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL"},
        }
        made = self._ask("POST", "session", {"capabilities": {"alwaysMatch": wanted}})
        self._session = f"session/{made['sessionId']}"

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        data = None if method != "POST" else json.dumps(body or {}).encode()
        request = urllib.request.Request(f"{self._address}/{path}", data, method=method)
        try:
            with urllib.request.urlopen(request, timeout=_SECONDS) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{path}: {error.read().decode()[:800]}") from None

    def _do(self, path: str, body: Any = None) -> Any:
        return self._ask("POST", f"{self._session}/{path}", body)

    def cdp(self, command: str, **parameters: Any) -> Any:
        """Sends a command of Chromium's own protocol, and returns its result."""
        return self._do("goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, page: Path | str, width: int = 1280, height: int = 900) -> None:
        """Loads a file (with its #part) or an http:// address in a window of this size in
        pixels."""
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=1, mobile=False)  # fmt: skip
        address = str(page)
        self._do("url", {"url": address if address.startswith("http://") else f"file://{page}"})

    def dark(self, is_dark: bool) -> None:
        """Sets the user's preferred colour scheme to dark or light."""
        value = "dark" if is_dark else "light"
        features = [{"name": "prefers-color-scheme", "value": value}]
        self.cdp("Emulation.setEmulatedMedia", features=features)

    def run(self, script: str, *arguments: Any) -> Any:
        """Runs a script with these arguments, and returns the value that the script returns."""
        return self._do("execute/sync", {"script": script, "args": list(arguments)})

    def go(self, address: str) -> None:
        """Loads an address from a server on this machine."""
        self._do("url", {"url": address})

    def later(self, script: str) -> Any:
        """Returns the value that an asynchronous script passes to `done`."""
        whole = f"const done = arguments[arguments.length - 1]; (async () => {{ {script} }})();"
        return self._do("execute/async", {"script": whole, "args": []})

    def until(self, script: str) -> Any:
        """Repeats a script every 20 ms until its value is true, and returns the value. Raises
        AssertionError after _SECONDS."""
        end = time.monotonic() + _SECONDS
        while not (value := self.run(script)):
            assert time.monotonic() < end, script
            time.sleep(0.02)
        return value

    def find(self, selector: str) -> str:
        """Returns a reference to the first element that the CSS selector matches."""
        found = self._do("element", {"using": "css selector", "value": selector})
        return str(found[_ELEMENT])

    def click(self, selector: str) -> None:
        """Clicks with the mouse on the first element that the CSS selector matches."""
        self._do(f"element/{self.find(selector)}/click")

    def type(self, selector: str, text: str) -> None:
        """Types the text while the first element that the selector matches has the focus."""
        self._do(f"element/{self.find(selector)}/value", {"text": text})

    def mouse(
        self, selector: str, points: Sequence[tuple[float, float]], drag: bool = False
    ) -> None:
        """Moves over points of the first element that the selector matches. points: pixels relative
        to its upper left corner; an element outside of the window is scrolled into it first. drag:
        whether the button is held from the first point to the last."""
        script = (
            "const e = document.querySelector(arguments[0]), b = e.getBoundingClientRect();"
            "if (b.top < 0 || b.bottom > innerHeight) e.scrollIntoView({block: 'center'});"
            "const r = e.getBoundingClientRect();"
        )
        left, top = self.run(f"{script} return [r.left, r.top];", selector)
        actions: list[dict[str, Any]] = []
        for place, (x, y) in enumerate(points):
            move = {
                "type": "pointerMove",
                "duration": 20,
                "x": round(left + x),
                "y": round(top + y),
            }
            actions.append(move)
            if drag and place == 0:
                actions.append({"type": "pointerDown", "button": 0})
        if drag:
            actions.append({"type": "pointerUp", "button": 0})
        source = {"type": "pointer", "id": "mouse", "actions": actions}
        self._do("actions", {"actions": [source]})

    def other_tab(self) -> None:
        """Switches to the tab that a link opened."""
        mine = self._ask("GET", f"{self._session}/window")
        tabs = self._ask("GET", f"{self._session}/window/handles")
        self._do("window", {"handle": next(tab for tab in tabs if tab != mine)})

    def complaints(self) -> list[str]:
        """Returns the console's messages since the last call."""
        entries = self._do("se/log", {"type": "browser"})
        return [entry["message"] for entry in entries]

    def picture(self, target: Path, whole: bool = True) -> None:
        """Stores a screenshot as PNG in the file `target`: of the whole page (at most 6,000 pixels
        high), or of the window only."""
        shot = self.cdp("Page.captureScreenshot", captureBeyondViewport=whole)
        if whole:
            size = self.cdp("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 6000)}
            shot = self.cdp(
                "Page.captureScreenshot", captureBeyondViewport=True, clip={**clip, "scale": 1}
            )
        target.write_bytes(base64.b64decode(shot["data"]))

    def quit(self) -> None:
        """Closes the window and ends its session."""
        self._ask("DELETE", self._session)


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """Runs a driver and a window within the context; their files are in the folder."""
    driver = subprocess.Popen(
        ["chromedriver", "--port=0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        text=True,
    )
    assert driver.stdout is not None
    try:
        port = ""
        for line in driver.stdout:
            if found := re.search(r"started successfully on port (\d+)", line):
                port = found[1]
                break
        assert port, "chromedriver does not start"
        window = Browser(f"http://127.0.0.1:{port}", folder / "profile")
        try:
            yield window
        finally:
            window.quit()
    finally:
        driver.terminate()
        driver.wait(_SECONDS)
