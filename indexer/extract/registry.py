"""Every format that is read, one row each, in the order in which they are tried.

A row names the module and, by its own name, the function `read_NAME` in it, which is imported when
a file of that format is met. `kinds` are formats with marks in their bytes, which `kind_of` tells;
the other formats are text, claimed by the suffix or by how they begin, and read as plain text where
that fails. A new format is one module and one row here.
"""

from __future__ import annotations

from functools import partial

from indexer.extract.extraction import Extractor
from indexer.extract.text.kinds import MARKDOWN, of, of_html, of_mail

_DATED = of(b"BEGIN:(?:VCARD|VCALENDAR)")
# Every format of one document, plain text last.
_DOCUMENTS: tuple[Extractor, ...] = (
    Extractor("pdf", 15, "pdf", ".pdf", kinds="pdf", empty_reason="no_text_layer"),
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
    Extractor("msg", 10, "mail", ".msg", kinds="msg", container=True),
    Extractor("rtf", 9, "office.rtf", ".rtf", kinds="rtf", markdown=True),
    Extractor("mbox", 12, "mail", ".mbox", kinds="mbox", container=True),
    Extractor("eml", 12, "mail", ".eml .emlx .mht .mhtml", begins=of_mail, container=True),
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
    version=2 + sum(extractor.version for extractor in _DOCUMENTS),
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
