"""The system's Chromium, and what an observer of its pages sees: requests, dialogs, violations."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
# Nothing but 127.0.0.1 has an address, also where the tests have a network.
ARGUMENTS = [
    "--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]  # fmt: skip
# Every element that our templates write; a page with another one shows somebody else's mark-up.
ELEMENTS = """
a article blockquote body br button code dd details dialog div dl dt figure form h1 h2 h3 h4 h5 h6
head header html img input kbd label li link main mark meta nav ol option p pre progress rect script
section select span strong summary sup svg table tbody td textarea th thead title tr ul
"""
RECORD = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => {
  window.violations.push(`${event.violatedDirective} ${event.blockedURI}`);
});
"""
LOOK = """() => {
  const found = { elements: new Set(), handlers: [], places: [], scripts: 0 };
  for (const element of document.querySelectorAll("*")) {
    found.elements.add(element.localName);
    if (element.localName === "script") found.scripts += 1;
    for (const attribute of element.attributes) {
      if (attribute.name.startsWith("on")) found.handlers.push(attribute.name);
      if (["href", "src", "action", "srcset", "data", "formaction"].includes(attribute.name))
        found.places.push(attribute.value);
    }
  }
  return { ...found, elements: [...found.elements], violations: window.violations };
}"""


def program() -> str:
    """The path of Chromium; skips without one, and without Playwright."""
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    found = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if found is None:
        pytest.skip("Chromium is not installed; make programs installs it")
    return found


@contextmanager
def chromium() -> Iterator[Any]:
    path = program()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@dataclass
class Observer:
    """What the pages of one context do that nobody should see."""

    origin: str
    foreign: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def watch(self, context: Any) -> None:
        context.add_init_script(RECORD)
        context.on("request", self._request)
        context.on("dialog", self._dialog)
        context.on("console", self._console)
        context.on("weberror", lambda error: self.errors.append(str(error.error)))

    def _request(self, request: Any) -> None:
        parts = urlsplit(request.url)
        if f"{parts.scheme}://{parts.netloc}" != self.origin:
            self.foreign.append(request.url)

    def _dialog(self, dialog: Any) -> None:
        self.dialogs.append(dialog.type)
        dialog.dismiss()

    def _console(self, message: Any) -> None:
        if "Content Security Policy" in message.text:
            self.refused.append(message.text)

    def nothing_happened(self) -> None:
        assert (self.foreign, self.dialogs, self.refused, self.errors) == ([], [], [], [])


def only_ours(page: Any, base: str) -> None:
    """Fail if a page holds an element, a handler or an address that no template of ours wrote."""
    found = page.evaluate(LOOK)
    assert not set(found["elements"]) - set(ELEMENTS.split())
    assert found["handlers"] == []
    assert found["violations"] == []
    assert found["scripts"] == 1
    for place in found["places"]:
        assert place.startswith((f"{base}/", "#")), place
