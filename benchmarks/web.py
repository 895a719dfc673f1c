"""How fast the pages of `corpus-agent web` are in the real Chromium.

    python benchmarks/web.py [--store DIR] [--words FILE] [--pages 40] [--axe axe.min.js]

Search as one types, from asking to the results on the page, for each line of FILE (default: words
of the sample corpus), in one tab and in eight; the picture of a page, first and second view,
with the size of the answer checked; first paint of the first page, while the model loads and five
times after. With axe-core's script, what it finds on each page as well.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from playwright.sync_api import BrowserContext, Page, sync_playwright  # noqa: E402

from indexer import Index  # noqa: E402
from tests.support.browser import ARGUMENTS, PROGRAMS  # noqa: E402
from tests.support.web_server import WebServer  # noqa: E402

TABS = 8
PAUSE_MS = 20
WORDS = "rent due tenant notice boiler deposit starter fridge bike policy number theft cellar"
TIMED = """async (words) => {
  const taken = [];
  for (const word of words) {
    const began = performance.now();
    const given = new URLSearchParams({ part: "1", q: word });
    const answer = await fetch(`${document.body.dataset.base}/search?${given}`);
    const part = new DOMParser().parseFromString(await answer.text(), "text/html");
    document.getElementById("results").replaceChildren(...part.body.childNodes);
    document.body.getBoundingClientRect();
    if (!document.querySelector("#results [role=status]")) throw new Error(`no answer: ${word}`);
    taken.push(performance.now() - began);
  }
  return taken;
}"""
PAINT = "performance.getEntriesByName('first-contentful-paint').map((each) => each.startTime)"
AXE = "axe.run().then((found) => found.violations.map((each) => `${each.impact} ${each.id}`))"


def pictures(server: WebServer, store: Path, most: int) -> tuple[list[float], list[float]]:
    """Milliseconds of each page, the first time and the second."""
    index = Index.open(store)
    rows = [row for row in index.files() if (row.extractor or "").startswith("pdf/") and row.pages]
    wanted = [(row.source, page) for row in rows for page in range(1, (row.pages or 0) + 1)]
    first: list[float] = []
    second: list[float] = []
    for source, page in wanted[:: max(1, len(wanted) // most)]:
        for taken in (first, second):
            began = time.perf_counter()
            reply = server.get("/picture", source=source, page=page)
            taken.append((time.perf_counter() - began) * 1000)
            assert reply.body.startswith(b"\x89PNG"), (source, page)
    return first, second


def painted(page: Page) -> float:
    """Milliseconds from asking for the page that is shown to its first paint."""
    while not (found := page.evaluate(PAINT)):  # the page's policy forbids to wait in its script
        page.wait_for_timeout(PAUSE_MS)
    return float(found[0])


def tabs(context: BrowserContext, address: str, words: list[str]) -> list[float]:
    """Milliseconds of each search of eight tabs that look for all words at once; none is lost."""
    pages = [context.new_page() for _ in range(TABS)]
    for page in pages:
        page.goto(address)
    for page in pages:
        page.evaluate(f"(words) => {{ window.taken = ({TIMED})(words); }}", words)
    return [time for page in pages for time in page.evaluate("window.taken")]


def examined(page: Page, server: WebServer, script: str) -> None:
    """Print what axe-core finds on each page, on a hit, and while the folder is watched."""

    def look(name: str) -> None:
        page.evaluate(script)
        print("axe", name, page.evaluate(AXE))

    base = f"{server.origin}{server.base}"
    for path in ("/", "/documents", "/history", "/state", "/documents/run", "/search?q=rent"):
        page.goto(f"{base}{path}")
        look(path)
    page.locator("a.hit").first.click()
    page.get_by_role("navigation", name="Hits of the search").wait_for()
    look("a hit")
    page.goto(f"{base}/documents")
    page.get_by_role("button", name="Watch the folder").click()
    page.get_by_role("button", name="Stop").wait_for()
    look("the watch")
    page.get_by_role("link", name="All documents").click()
    page.get_by_role("button", name="Index now").wait_for()
    look("documents while watching")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--words", type=Path)
    parser.add_argument("--pages", type=int, default=40)
    parser.add_argument("--axe", type=Path)
    given = parser.parse_args()
    words = given.words.read_text().splitlines() if given.words else WORDS.split()
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        store = given.store or Path(scratch) / "store"
        if given.store is None:
            command = [sys.executable, "-m", "corpus_agent", "--store", str(store), "index"]
            subprocess.run([*command, str(ROOT / "sample_corpus")], check=True, cwd=ROOT)
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        with WebServer(store, "--llm", "none") as server:
            context = browser.new_context(bypass_csp=given.axe is not None)
            page = context.new_page()
            page.goto(server.url)  # as a person opens it, who is sent on to the first page
            page.get_by_label("Question").wait_for()
            (key,) = context.cookies()
            server.cookie, server.base = key["value"], key["path"].rstrip("/")
            cold = painted(page)
            page.goto(f"{server.origin}{server.base}/search?q=rent")  # once the model is loaded
            paints = []
            for _ in range(5):
                page.goto(f"{server.origin}{server.base}/")
                paints.append(painted(page))
            load = os.getloadavg()[0]
            print(f"load {load:.1f}; first paint, ms: {cold:.0f}, later {median(paints):.0f}")
            page.goto(f"{server.origin}{server.base}/search")
            page.evaluate(TIMED, words[:3])
            taken = page.evaluate(TIMED, words)
            print(f"search, ms: p50 {median(taken):.1f}, most {max(taken):.1f} of {len(taken)}")
            several = tabs(context, f"{server.origin}{server.base}/search", words)
            print(f"in {TABS} tabs at once: p50 {median(several):.1f} of {len(several)}")
            first, second = pictures(server, store, given.pages)
            print(f"picture, ms: first p50 {median(first):.1f}, second {median(second):.1f}")
            if given.axe is not None:
                examined(page, server, given.axe.read_text())
        browser.close()


if __name__ == "__main__":
    main()
