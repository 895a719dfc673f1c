"""Every format that is read, one row each, in the order in which they are tried.

A row names the module and, by its own name, the function `read_NAME` in it, which is imported when
a file of that format is met. `kinds` are formats with marks in their bytes, which `kind_of` tells;
the other formats are text, claimed by the suffix or by how they begin, and read as plain text where
that fails. A new format is one module and one row here.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache, partial

from indexer.confine import extensions
from indexer.confine.extensions import Extension
from indexer.errors import UnreadableDocument, UsageError
from indexer.extract.extraction import Extraction, Extractor
from indexer.extract.text.kinds import MARKDOWN, of, of_html, of_mail

_DATED = of(b"BEGIN:(?:VCARD|VCALENDAR)")
# Every format of one document, plain text last.
_DOCUMENTS: tuple[Extractor, ...] = (
    Extractor("pdf", 14, "pdf", ".pdf", kinds="pdf", empty_reason="no_text_layer"),
    Extractor(
        "image", 1, "text.kinds", ".png .jpg .jpeg .tif .tiff .webp .heic .heif", kinds="picture"
    ),
    Extractor("docx", 9, "office.docx", ".docx .docm .dotx .dotm", kinds="docx", markdown=True),
    Extractor(
        "pptx", 8, "office.pptx", ".pptx .pptm .ppsx .ppsm .potx", kinds="pptx", markdown=True
    ),
    Extractor("xlsx", 10, "office.spreadsheets", ".xlsx .xlsm .xltx .xlsb", kinds="xlsx xlsb"),
    Extractor("odf", 10, "office.odf", ".odt .ott .odp .otp", kinds="odt odp", markdown=True),
    Extractor("ods", 7, "office.spreadsheets", ".ods .ots", kinds="ods"),
    Extractor("epub", 11, "html.ebook", ".epub", kinds="epub", markdown=True),
    Extractor("iwork", 5, "members", ".pages .key .numbers", kinds="iwork"),
    Extractor("doc", 6, "office.doc", ".doc .dot", kinds="doc", markdown=True),
    Extractor("ppt", 8, "office.ppt", ".ppt .pps", kinds="ppt", markdown=True),
    Extractor("xls", 7, "office.spreadsheets", ".xls .xlt", kinds="xls"),
    Extractor("msg", 9, "mail.msg", ".msg", kinds="msg", container=True),
    Extractor("rtf", 9, "office.rtf", ".rtf", kinds="rtf", markdown=True),
    Extractor("mbox", 11, "mail", ".mbox", kinds="mbox", container=True),
    Extractor("eml", 11, "mail", ".eml .emlx .mht .mhtml", begins=of_mail, container=True),
    Extractor("dated", 1, "data", ".vcf .vcard .ics .ical .icalendar .vcs", begins=_DATED),
    Extractor("notebook", 6, "data", ".ipynb", markdown=True),
    Extractor("csv", 3, "data", ".csv .tsv .tab"),
    Extractor("html", 8, "html", ".html .htm .xhtml .xht .shtml", begins=of_html, markdown=True),
    Extractor("json", 4, "data", ".json .jsonl .ndjson .geojson .jsonld .webmanifest .har"),
    Extractor(
        "xml",
        9,
        "data",
        ".xml .svg .rss .atom .kml .gpx .opml .xsd .xsl .xslt .dbk .tei .plist "
        ".rdf .owl .wsdl .resx .xlf .xliff .tmx .ttml .dita .fb2",
        begins=of(rb"<\?xml"),
        markdown=True,
    ),
    Extractor("markdown", 2, "text", MARKDOWN, markdown=True),
    Extractor("org", 2, "text", ".org"),
    Extractor("rst", 2, "text", ".rst .rest"),
    Extractor("latex", 2, "text", ".tex .ltx"),
    Extractor("text", 2, "text", ".txt .text .log .srt .vtt", begins=lambda sample, suffix: True),
)
# An archive is read by all of them: when the text of one format changes, so may that of an archive.
_archive = partial(
    Extractor,
    version=2 + sum(int(extractor.version) for extractor in _DOCUMENTS),
    module="members",
    markdown=True,
    container=True,
)
REGISTRY = (
    _archive("zip", suffixes=".zip", kinds="zip"),
    _archive("tar", suffixes=".tar .tgz", kinds="tar"),
    _archive("packed", suffixes=".gz .bz2 .xz", kinds="gz bz2 xz"),
    *_DOCUMENTS,
)


# --- Readers that an installed package brings, by the suffix of their names -----------------------
#
# A package's entry point in the group `corpus_agent.extractors` has a suffix as its name, as in
# `.wx = "my_package:read"`, so that what it reads is known before any of its code is imported:
# that happens in the parser's process alone. A suffix that is read by this program is refused,
# unless the user names the package in the setting `extractors`.

VARIABLE = "CORPUS_AGENT_EXTRACTORS"  # packages, with blanks between; of a parser's process too
PREFIX = "x-"  # of the names of installed readers, which no reader of this program has

_preferred = frozenset(os.environ.get(VARIABLE, "").split())


def use_extractors(packages: str | None) -> None:
    """Let these packages, named with blanks between, read files that this program reads otherwise.

    For this process and the parsers that it starts from now on. Raises UsageError for a package
    that brings no extractor.
    """
    global _preferred
    wanted = frozenset((packages or "").split())
    for package in sorted(wanted):
        known = {each.package for each in extensions.installed()}
        if package not in known:
            raise UsageError(
                f"The setting extractors names {package!r}, which brings none.",
                f"There are: {', '.join(sorted(known)) or 'none'}.",
            )
    _preferred = wanted


def variable() -> dict[str, str]:
    """The environment variable by which a parser's process prefers what this one does."""
    return {VARIABLE: " ".join(sorted(_preferred))} if _preferred else {}


def all_extensions() -> tuple[Extension, ...]:
    """All extensions, with the reason why one is not used."""
    return tuple(
        each if each.refused else replace(each, refused=_why_not(each))
        for each in extensions.installed()
    )


def _why_not(extension: Extension) -> str:
    if extension.package in _preferred or all(
        extension.name not in each.suffixes.split() for each in REGISTRY
    ):
        return ""
    how = f'to prefer it: extractors = "{extension.package}"'
    return f"this program reads {extension.name} itself; {how}"


def installed_reader(suffix: str) -> Extractor | None:
    """The installed reader of files with this suffix, in lower case; None if we read them."""
    return _by_suffix(_preferred).get(suffix)


def installed_versions() -> dict[str, str]:
    """The version of each package whose readers are used."""
    return {each.name: str(each.version) for each in _by_suffix(_preferred).values()}


@cache
def _by_suffix(_: frozenset[str]) -> dict[str, Extractor]:
    usable = (each for each in all_extensions() if not each.refused)
    return {each.name: _extractor(each) for each in usable}


def _extractor(extension: Extension) -> Extractor:
    def read(data: bytes) -> Extraction:
        made = extension.load()
        if not callable(made):
            raise UnreadableDocument("malformed", f"{extension} is no function")
        found = made(data)
        if not isinstance(found, Extraction):
            raise UnreadableDocument("malformed", f"{extension} returned no Extraction")
        return replace(found, lines=iter(found.lines))  # a list is as good

    # `kinds` is not empty: what it cannot read is not tried as plain text instead.
    name = f"{PREFIX}{extension.package}"
    return Extractor(name, extension.version, "", kinds=extension.name, reader=read)
