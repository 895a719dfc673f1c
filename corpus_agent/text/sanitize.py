"""Text for a terminal, a page or a model, without control and hidden characters.

Does not evaluate meaning or detect attacks: it removes their means.
"""

from __future__ import annotations

import re

# C0 and C1 controls but tab and newline; soft hyphen; zero-width and word joiners; bidi marks,
# embeddings, overrides and isolates; variation selectors; interlinear annotation; shorthand and
# musical format controls; tag characters.
_ACTING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_LONE = re.compile("[\ud800-\udfff]")
# Whole escape sequences, so that no harmless-looking tail stays: CSI, and OSC/DCS/APC/PM/SOS up to
# their terminator (ECMA-48, 5.4 and 5.6), in 7-bit and 8-bit form.
_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"
)


def visible(text: str) -> str:
    """`text` without terminal control characters and characters that are invisible to a reader.

    Keeps tab and newline. A lone surrogate, from an undecodable byte or an escape in JSON, becomes
    the replacement character, since it cannot be encoded.
    """
    return _LONE.sub("\ufffd", _ACTING.sub("", _ESCAPES.sub("", text)))


def one_line(text: str) -> str:
    """`visible` text on one line: for file names, titles and headings."""
    return " ".join(visible(text).split())


# Schemes that a program may load or run without "//" after them (RFC 3986, 3.1; WHATWG URL).
_RUNNING = "javascript|vbscript|data|mailto|xmpp|file|blob|tel|sms|about|view-source|magnet"
# Each is broken wherever it stands: renderers differ in what begins a link (GFM links an address
# after "_", terminals link one in the middle of a word).
_DEFANGS: tuple[tuple[re.Pattern[str], str], ...] = (
    # An embedded file would be loaded, and [[target|shown]] hides where it leads.
    (re.compile(r"!(?=\[\[)"), "! "),
    (re.compile(r"\[(?=\[[^\[\]|\n]{1,300}\|[^\[\]|\n]{1,300}\]\])"), "[ "),
    (re.compile("://"), "[:]//"),  # readable as https[:]//example.com
    (re.compile(rf"(?<![^\W_])({_RUNNING}):(?=\S)", re.IGNORECASE), r"\1[:]"),
    (re.compile(r"(www)\.(?=\w)", re.IGNORECASE), r"\1[.]"),  # linked without a scheme (GFM 6.9)
    (re.compile(r"\]\("), "] ("),  # inline links and images (CommonMark 6.3, 6.4)
    # Reference definitions: without one no reference is a link (4.7). They may stand in lists and
    # quotations and have brackets and line ends in their labels.
    (re.compile(r"\]:"), "] :"),
    (re.compile(r"<(?=[a-z/!?])", re.IGNORECASE), "< "),  # raw HTML and autolinks (6.5, 6.6)
)


def inert(text: str) -> str:
    """`visible` text without links, images or mark-up in any renderer.

    For answers, which consist of other people's text and may be rendered by any program. Links stay
    readable: `https[:]//example.com`. An e-mail address is kept: a person still has to send the
    letter. No word is taken away: what a quotation shows is what its document holds.
    """
    text = visible(text)
    for pattern, replacement in _DEFANGS:
        text = pattern.sub(replacement, text)
    return text


def enclosed(text: str) -> str:
    """`text` on one line between quotation marks, `inert` with them.

    Cleaned behind the marks, not before: a text may end in a scheme, which has nothing to load
    until a mark is put behind it.
    """
    return inert(f"“{one_line(text)}”")


# File name endings that are no top-level domain (absent from the root zone of the DNS); any other
# word after a dot may become one.
_FILE_ENDS = """
    txt pdf doc docx xls xlsx ppt pptx odt ods odp rtf htm html xhtml xml json jsonl csv tsv epub
    eml msg mbox ipynb tex bib rst yaml yml toml ini cfg conf log png jpg jpeg gif svg webp tif
    tiff bmp js ts jsx tsx css scss cpp hpp sql bat tar gz xz rar
"""
_NO_HOSTS = frozenset(_FILE_ENDS.split())
# What Markdown turns into a character, so that a host appears only on the page: escapes and
# entities (CommonMark 2.4, 2.5).
_ESCAPED = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
_ENTITY = re.compile(r"&(?=#?\w{1,32};)")
# linkify-it accepts a host of any words after two slashes, and "localhost" there.
_AUTHORITY = re.compile(r"(?<=//)[^\s/]+")
_LOCALHOST = re.compile(r"(?<=//)(local)(h)(?=ost)|(?<=@)(local)(h)(?=ost)", re.IGNORECASE)
_DOT = re.compile(r"(?<![\s\[])\.(?=[^\s\[\]:(.])")
_NUMBERS = re.compile(r"(?<![\d.])(\d{1,3})\.(?=\d{1,3}\.\d{1,3}\.\d{1,3}(?![\d.]*\d))")
_AT = re.compile(r"(?<=[^\s\[])@(?=[^\s\]:(])")
# A possible host with its subdomains: no viewer begins one after a slash.
_RUN = re.compile(r"(?<![\w.-])[\w.-]*\.[\w-][\w.-]*")
ONE_DOT = r"(?!www\.)[a-z0-9_-]{1,60}\.[a-z0-9]{1,8}"  # a file's name that may be a host's
_QUOTED_FILE = re.compile(rf"(['\"`])({ONE_DOT})\1", re.IGNORECASE | re.ASCII)
_EMPHASIS = re.compile(r"(?<![^\W_])_|_(?![^\W_])")  # then a page may begin a text after it
# A last part that may end a host name; "_" ends it, since Markdown may remove that character.
_END = re.compile(r"(?<![\s\[])\.(xn--[\w-]+|[^\W\d_]{2,})(?![^\W_]|-)(?!\.[^\W_])", re.IGNORECASE)


def unlinked(text: str) -> str:
    """`inert` text in which no viewer finds a host or an address by itself: `evil[.]com`.

    A file name below a folder is no host (`notes/a.md`), one by itself may be one.
    """
    text = _ENTITY.sub("& ", _ESCAPED.sub(r"\\ ", inert(text)))
    text = _AUTHORITY.sub(lambda found: _DOT.sub("[.]", found[0]), text)
    text = _LOCALHOST.sub(lambda found: f"{found[1] or found[3]}[{found[2] or found[4]}]", text)
    text = _NUMBERS.sub(r"\1[.]", text)
    return _AT.sub("[@]", _RUN.sub(_without_host, text))


def message(text: str) -> str:
    """A message of the program on one line, `unlinked`; the names that it quotes stand as code."""
    line = one_line(text)
    if "`" in _QUOTED_FILE.sub("", line):
        return unlinked(line)  # a sign of code elsewhere could end theirs
    before, *named = _QUOTED_FILE.split(line)
    pairs = zip(named[1::3], named[2::3], strict=True)
    return unlinked(before) + "".join(f"`{name}`{unlinked(after)}" for name, after in pairs)


def _without_host(found: re.Match[str]) -> str:
    """A run of words and dots, with all dots broken if it may be a host."""
    run, before = found[0], found.string[max(0, found.start() - 2) : found.start()]
    if before.endswith("/") and before != "//" and not _EMPHASIS.search(run):
        return run
    # The part before a broken dot ends there, so all others are broken too.
    lone = run.startswith(".") and not before[-1:].strip(" \t\n[")
    rest = run[1:] if lone else run
    ends = [end for end in _END.finditer(rest) if end[1].casefold() not in _NO_HOSTS]
    broken = re.sub(r"\.(?=[\w-])", "[.]", rest) if ends else rest
    return f"{run[:1]}{broken}" if lone else broken
