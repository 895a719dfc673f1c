"""Pictures of the pages of `corpus-agent web`, into docs/images.

    python docs/screenshots.py

Five pages at three widths, light and dark, over the sample corpus, in the system's Chromium; says
so and changes nothing where there is none.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

from tests.support.browser import ARGUMENTS, PROGRAMS  # noqa: E402
from tests.support.web_server import WebServer  # noqa: E402

IMAGES = ROOT / "docs" / "images"
WIDTHS = (360, 1280, 2560)
HEIGHT = 900
QUESTION = "On which day of the month is the rent due?"


def indexed(folder: Path) -> Path:
    """A store of the sample corpus."""
    shutil.copytree(ROOT / "sample_corpus", folder / "sample_corpus")
    store = folder / "store"
    command = [sys.executable, "-m", "corpus_agent", "--store", str(store), "index", "--ocr", "off"]
    subprocess.run([*command, str(folder / "sample_corpus")], check=True, cwd=ROOT)
    return store


def asked(page: Page, server: WebServer) -> None:
    """Ask once, so that there is an answer to show."""
    page.goto(f"{server.origin}{server.base}/")
    page.get_by_label("Question").fill(QUESTION)
    page.get_by_role("button", name="Ask").click()
    page.get_by_role("list", name="Passages").wait_for()


def taken(browser: Browser, server: WebServer) -> None:
    """Write all pictures."""
    key = {"name": "corpus-agent", "value": server.cookie, "domain": "127.0.0.1"}
    for scheme in ("light", "dark"):
        context = browser.new_context(color_scheme=scheme)
        context.add_cookies([{**key, "path": f"{server.base}/"}])
        page = context.new_page()
        asked(page, server)
        base = f"{server.origin}{server.base}"
        shown = {
            "ask": re.sub(r"[?#].*", "", page.url),
            "place": f"{base}/read?source=home/home-insurance.pdf&line=69&end=70"
            "&quote=Your+policy+number,+a+police+reference+for+theft",
            "search": f"{base}/search?q=notice+to+end+the+tenancy",
            "documents": f"{base}/documents",
            "state": f"{base}/state",
        }
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": HEIGHT})
            for name, address in shown.items():
                page.goto(address, wait_until="load")
                page.screenshot(path=IMAGES / f"{name}-{width}-{scheme}.png")
        context.close()


def main() -> None:
    """Take the pictures, if there is something to take them with."""
    path = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if path is None:
        sys.exit("Chromium is not installed (make programs): docs/images stays as it is.")
    from playwright.sync_api import sync_playwright

    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        store = indexed(Path(scratch))
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        with WebServer(store, "--llm", "none") as server:
            server.enter()
            taken(browser, server)
        browser.close()


if __name__ == "__main__":
    main()
