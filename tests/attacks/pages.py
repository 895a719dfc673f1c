"""What tries to get at the pages of `web`: a program whose drawing process was taken over, and
strings that a document or a model may write."""

import shutil
from pathlib import Path

_LEFT_OUT = shutil.ignore_patterns("__pycache__")


def taken_over_copy(repository: Path, copy: Path) -> Path:
    """The program with one line changed: pages are drawn by obeying_viewer, which lies in it."""
    for package in ("corpus_agent", "indexer"):
        shutil.copytree(repository / package, copy / package, ignore=_LEFT_OUT)
    parsers = copy / "indexer" / "parsers"
    for name in ("obeying_viewer.py", "obeying_worker.py"):
        text = (repository / "tests" / "attacks" / name).read_text()
        (parsers / name).write_text(text.replace("tests.attacks.", "indexer.parsers."))
    ours = "PICTURING = PARSER"
    text = (parsers / "pages.py").read_text()
    assert text.count(ours) == 1
    taken_over = 'PICTURING = "indexer.parsers.obeying_viewer"'
    (parsers / "pages.py").write_text(text.replace(ours, taken_over))
    return copy


# What a model may write that is no plain text: mark-up, links, escapes of a terminal, directions.
NASTY = (
    '<img src="http://127.0.0.1:9/out" onerror="alert(1)"><script>alert(2)</script> due on day 3',
    "[here](http://127.0.0.1:9/a?q=rent) and ![x](http://127.0.0.1:9/b.png) on the 3rd day",
    '</p></div></article><form action="http://127.0.0.1:9/"><button>Go on</button></form> rent',
    "\x1b]8;;http://127.0.0.1:9/\x07the rent\x1b]8;;\x07 \x1b[2J\x1b]52;c;cm0=\x07 is due",
    "The rent\u202e yad dr3 eht no \u2066is due\u2069 \u200b\u200e\U000e0041\U000e0042 then",
    "javascript:alert(3) data:text/html,<b>x</b> //127.0.0.1:9/ {{ 7*7 }} {% raw %} due &lt;b&gt;",
    '" autofocus onfocus="alert(4)" x="<svg/onload=alert(5)><iframe srcdoc="<p>x">the rent is due',
)
# Of it what no page may hold: controls, directions, what has no width, tags.
UNSEEN = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
)
