"""Every format that is read, one row each, in the order in which they are tried.

A row names the module and, by its own name, the function `read_NAME` in it, which is imported when
a file of that format is met. `kinds` are formats with marks in their bytes, which `kind_of` tells;
the other formats are text, claimed by the suffix or by how they begin, and read as plain text where
that fails. A new format is one module and one row here.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from indexer.extract.claims.kinds import MARKDOWN, of, of_html, of_mail
from indexer.extract.extraction import Begins, Extraction, Extractor, Within, words


def _row(
    name: str,
    version: int,
    module: str,
    suffixes: str = "",
    *,
    kinds: str = "",
    begins: Begins = lambda sample, suffix: False,
    empty_reason: str = "no_text",
    markdown: bool = False,
    container: bool = False,
) -> Extractor:
    """A format; the reader of one that others stand in is also given their budget."""

    def read(data: bytes, within: Within) -> Extraction:
        reader: Callable[..., Extraction] = getattr(
            import_module(f"indexer.extract.{module}"), f"read_{name}"
        )
        return reader(data, within) if container else reader(data)

    return Extractor(
        name,
        version,
        read,
        tuple(kinds.split()),
        words(suffixes),
        begins,
        empty_reason,
        markdown,
        container,
    )


# Every format of one document, plain text last.
_DOCUMENTS: tuple[Extractor, ...] = (
    _row("pdf", 13, "pdf.pages", ".pdf", kinds="pdf", empty_reason="no_text_layer"),
    _row(
        "image", 1, "claims.kinds", ".png .jpg .jpeg .tif .tiff .webp .heic .heif", kinds="picture"
    ),
    _row("docx", 8, "office.docx", ".docx .docm .dotx .dotm", kinds="docx", markdown=True),
    _row("pptx", 7, "office.pptx", ".pptx .pptm .ppsx .ppsm .potx", kinds="pptx", markdown=True),
    _row("xlsx", 9, "sheets.spreadsheets", ".xlsx .xlsm .xltx .xlsb", kinds="xlsx xlsb"),
    _row("odf", 8, "office.odf", ".odt .ott .odp .otp", kinds="odt odp", markdown=True),
    _row("ods", 7, "sheets.spreadsheets", ".ods .ots", kinds="ods"),
    _row("epub", 9, "html.ebook", ".epub", kinds="epub", markdown=True),
    _row("iwork", 5, "iwork", ".pages .key .numbers", kinds="iwork"),
    _row("doc", 6, "legacy.doc", ".doc .dot", kinds="doc", markdown=True),
    _row("ppt", 8, "legacy.ppt", ".ppt .pps", kinds="ppt", markdown=True),
    _row("xls", 7, "sheets.spreadsheets", ".xls .xlt", kinds="xls"),
    _row("msg", 9, "mail.msg", ".msg", kinds="msg", container=True),
    _row("rtf", 9, "legacy.rtf", ".rtf", kinds="rtf", markdown=True),
    _row("mbox", 11, "mail.mime", ".mbox", kinds="mbox", container=True),
    _row(
        "eml",
        11,
        "mail.mime",
        ".eml .emlx .mht .mhtml",
        begins=of_mail,
        container=True,
    ),
    _row(
        "dated",
        1,
        "data",
        ".vcf .vcard .ics .ical .icalendar .vcs",
        begins=of(b"BEGIN:(?:VCARD|VCALENDAR)"),
    ),
    _row("notebook", 6, "data", ".ipynb", markdown=True),
    _row("csv", 3, "data", ".csv .tsv .tab"),
    _row(
        "html",
        7,
        "html.page",
        ".html .htm .xhtml .xht .shtml",
        begins=of_html,
        markdown=True,
    ),
    _row("json", 4, "data", ".json .jsonl .ndjson .geojson .jsonld .webmanifest .har"),
    _row(
        "xml",
        9,
        "data",
        ".xml .svg .rss .atom .kml .gpx .opml .xsd .xsl .xslt .dbk .tei .fodt .fodp .fods .plist "
        ".rdf .owl .wsdl .resx .xlf .xliff .tmx .ttml .dita .fb2",
        begins=of(rb"<\?xml"),
        markdown=True,
    ),
    _row("markdown", 2, "text.plain", MARKDOWN, markdown=True),
    _row("org", 2, "text.plain", ".org"),
    _row("rst", 2, "text.plain", ".rst .rest"),
    _row("latex", 2, "text.plain", ".tex .ltx"),
    _row("text", 2, "text.plain", ".txt .text .log .srt .vtt", begins=lambda sample, suffix: True),
)
# An archive is read by all of them: when the text of one format changes, so may that of an archive.
_ARCHIVE_VERSION = 2 + sum(int(extractor.version) for extractor in _DOCUMENTS)


def _archive(name: str, suffixes: str, kinds: str, module: str) -> Extractor:
    """A format without text of its own: what is in it is read by the others."""
    return _row(
        name, _ARCHIVE_VERSION, module, suffixes, kinds=kinds, markdown=True, container=True
    )


REGISTRY = (
    _archive("zip", ".zip", "zip", "archives"),
    _archive("tar", ".tar .tgz", "tar", "archives"),
    _archive("packed", ".gz .bz2 .xz", "gz bz2 xz", "archives"),
    *_DOCUMENTS,
)
