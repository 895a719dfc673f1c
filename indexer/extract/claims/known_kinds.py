"""Kinds of files that are recognised to say what they are: by their bytes, and what would be read.

Data and one look-up; pure. A mark of letters alone is the beginning of many a text, so each such
row asks for structure behind it. Called by `magic`, which decides what is read.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cache
from pathlib import PurePosixPath

from indexer.errors import UnreadableDocument


@dataclass(frozen=True, slots=True)
class Known:
    """What a file is, in a person's words, and what would make it readable, "" if nothing would."""

    what: str
    advice: str = ""
    reason: str = "unsupported"

    def refusal(self) -> UnreadableDocument:
        """The error for such a file."""
        detail = f"{self.what}; {self.advice}" if self.advice else self.what
        return UnreadableDocument(self.reason, detail)


_OCR = "its words are read from a searchable PDF of it"
_HEARD = "a transcript beside it is read"
_SEEN = "its subtitles as .srt or .vtt are read"
_UNPACK = "unpack it beside it"
_TABLES = "export its tables as CSV"


def _picture(what: str) -> Known:
    return Known(what, _OCR, "binary")


# Pictures that can be decoded, so that their words may be recognised.
RECOGNISABLE = frozenset(
    {"picture (PNG)", "photo (JPEG)", "picture (TIFF)", "picture (WebP)", "photo (HEIC)"}
)


def _sound(what: str) -> Known:
    return Known(what, _HEARD, "binary")


def _film(what: str) -> Known:
    return Known(what, _SEEN, "binary")


def _machine(what: str) -> Known:
    """What no person reads."""
    return Known(what, "", "binary")


def _archive(what: str) -> Known:
    return Known(what, _UNPACK)


def _database(what: str) -> Known:
    return Known(what, _TABLES, "binary")


def _export(what: str, program: str, form: str = "PDF") -> Known:
    return Known(what, f"export as {form} from {program}")


# The first bytes, as a regular expression, and what they begin; the first that fits counts.
_BY_BYTES: tuple[tuple[bytes, Known], ...] = (
    # Pictures
    (rb"\x89PNG\r\n\x1a\n", _picture("picture (PNG)")),
    (rb"\x89PNG", _picture("picture (PNG)")),
    (rb"\xff\xd8\xff", _picture("photo (JPEG)")),
    (rb"GIF8[79]a.[\0-\x1f].[\0-\x1f]", _picture("picture (GIF)")),
    (rb"II\*\0.{4}CR\x02\0", _picture("photo (Canon raw)")),
    (rb"II\*\0|MM\0\*|II\+\0|MM\0\+", _picture("picture (TIFF)")),
    (rb"RIFF.{3}[\0-\x1f]WEBP", _picture("picture (WebP)")),
    (rb"\0\0.{2}ftyp(?:hei[cxsm]|hev[cx]|mif1|msf1)", _picture("photo (HEIC)")),
    (rb"\0\0.{2}ftypavi[fs]", _picture("picture (AVIF)")),
    (rb"\0\0.{2}ftypcrx ", _picture("photo (Canon raw)")),
    (rb"\xff\x0a|\0\0\0\x0cJXL \r\n", _picture("picture (JPEG XL)")),
    (rb"\0\0\0\x0cjP  \r\n|\xff\x4f\xff\x51", _picture("picture (JPEG 2000)")),
    (rb"BM.{4}\0\0\0\0.{4}[\x0c\x28\x34\x38\x40\x6c\x7c]\0\0\0", _picture("picture (BMP)")),
    (rb"\0\0[\x01\x02]\0[\x01-\x40]\0.{2}.\0", _picture("icon")),
    (rb"8BPS\0[\x01\x02]", _export("Photoshop picture", "Photoshop")),
    (rb"gimp xcf (?:file|v\d{3})\0", _export("GIMP picture", "GIMP")),
    (rb"FUJIFILMCCD-RAW ", _picture("photo (Fujifilm raw)")),
    (rb"IIR[OS]\x08\0|IIU\0", _picture("photo (camera raw)")),
    (rb"\xd7\xcd\xc6\x9a|\x01\0\0\0.{36} EMF", _picture("drawing (Windows metafile)")),
    (rb"\x76\x2f\x31\x01", _picture("picture (OpenEXR)")),
    # Sound and film
    (rb"RIFF.{4}WAVE(?:fmt |bext|JUNK)", _sound("sound (WAV)")),
    (rb"RIFF.{3}[\0-\x1f]AVI LIST", _film("film (AVI)")),
    (rb"RIFF.{3}[\0-\x1f][A-Zsf]{4}", _machine("media (RIFF)")),
    (rb"ID3[\x02-\x04][\0-\x0f]", _sound("sound (MP3)")),
    (rb"\xff[\xfb\xf3\xf2\xfa][\x10-\xeb][\0-\xff]", _sound("sound (MP3)")),
    (rb"\xff[\xf1\xf9][\x40-\xbf]", _sound("sound (AAC)")),
    (rb"OggS\0[\0-\x07]", _sound("sound or film (Ogg)")),
    (rb"fLaC\0", _sound("sound (FLAC)")),
    (rb"FORM[\0-\x1f].{3}AIF[FC]", _sound("sound (AIFF)")),
    (rb"#!AMR(?:-WB)?\n[\0-\xff][^ -~]", _sound("sound (AMR)")),
    (rb"MThd\0\0\0\x06", _sound("music (MIDI)")),
    (rb"\0\0.{2}ftypM4[ABP] ", _sound("sound (M4A)")),
    (
        rb"\0\0.{2}ftypqt  |\0.{3}(?:moov|mdat|wide|free).{4}(?:moov|mdat|mvhd)",
        _film("film (QuickTime)"),
    ),
    (rb"\0.{3}ftyp[\w ]{4}", _film("film (MP4)")),
    (rb"\x1aE\xdf\xa3", _film("film (Matroska or WebM)")),
    (rb"FLV\x01", _film("film (Flash)")),
    (rb"\0\0\x01[\xba\xb3]", _film("film (MPEG)")),
    (rb"\x30\x26\xb2\x75\x8e\x66\xcf\x11", _film("sound or film (Windows Media)")),
    # Notes, mail and calendars
    (rb"\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d", _export("OneNote section", "OneNote")),
    (rb"\xa1\x2f\xff\x43\xd9\xef\x76\x4c", _export("OneNote table of contents", "OneNote")),
    (rb"!BDN.{4}(?:SM|SO|AB)", _export("Outlook data file", "Outlook", ".msg or .eml")),
    (rb"\xcf\xad\x12\xfe", _export("Outlook Express mail folder", "its program", ".eml")),
    (rb"\x1a\0\0[\x04\x03]\0\0", _export("Lotus Notes database", "Notes", ".eml")),
    # Books and documents
    (rb".{60}BOOKMOBI", _export("Kindle book", "Calibre", "EPUB")),
    (rb".{60}(?:TEXtREAd|PNRdPPrs|DataPlkr)", _export("Palm book", "Calibre", "EPUB")),
    (
        rb"TPZ[03].?[\0-\x08\x80-\xff]|\xeaDRMION\xee|CONT\x02\0",
        _export("Kindle book", "Calibre", "EPUB"),
    ),
    (rb"ITOLITLS\x01\0\0\0", _export("Microsoft Reader book", "Calibre", "EPUB")),
    (rb"L\0R\0F\0", _export("Sony book", "Calibre", "EPUB")),
    (rb"ITSF[\x02-\x04]\0\0\0", _export("help file (CHM)", "Calibre", "EPUB or PDF")),
    (rb"\x3f\x5f\x03\0", _export("Windows help file", "a program that opens it")),
    (rb"AT&TFORM[\0-\x1f].{3}DJV", _export("DjVu document", "a DjVu viewer")),
    (
        (
            rb"%!PS(?:-Adobe-\d[^\r\n]{0,80})?[\r\n]"
            rb"(?=.{0,8000}(?:%%|\sdef\s|\bshowpage\b|\bmoveto\b))|\xc5\xd0\xd3\xc6"
        ),
        _export("PostScript document", "ps2pdf"),
    ),
    (rb"\xffWPC", _export("WordPerfect document", "LibreOffice", "DOCX or PDF")),
    (rb"\x31\xbe\0\0\0\xab", _export("Windows Write document", "LibreOffice", "DOCX or PDF")),
    (rb"\xdb\xa5[\x2d\x21]\0", _export("Word 2 document", "LibreOffice", "DOCX or PDF")),
    (
        rb"\x09[\0\x02\x04]\x06\0.\0[\x10\x20]\0",
        _export("Excel 2 to 4 sheet", "LibreOffice", "XLSX"),
    ),
    (
        rb"\0\0\x02\0\x06\x04\x06\0|\0\0\x1a\0.\x10\x04\0",
        _export("Lotus 1-2-3 sheet", "LibreOffice", "XLSX"),
    ),
    (rb"HWP Document File V\d\.\d\d \x1a", _export("Hangul document", "Hangul")),
    (rb"\x06\x06\xed\xf5\xd8\x1d\x46\xe5", _export("InDesign document", "InDesign")),
    (
        rb"\xff\x46\x4f\x4e\x54|\0\x01\0\0\0[\x04-\x40]|OTTO\0|wOF[F2](?:\0\x01\0\0|OTTO|true)|ttcf\0",
        _machine("font"),
    ),
    # Drawings and models
    (rb"AC10[0-9]{2}\0|AC10[0-9]{2}[\0-\x1f]", _export("AutoCAD drawing", "AutoCAD")),
    (rb"AutoCAD Binary DXF\r\n\x1a", _export("AutoCAD drawing", "AutoCAD")),
    (rb"\xff\xfe\xff\x0eS\0k\0e\0t\0c\0h\0U\0p", _export("SketchUp model", "SketchUp")),
    (rb"3D Geometry File Format  {5,}\d", _export("Rhino model", "Rhino")),
    (rb"BLENDER[-_][vV]\d{3}[A-Z]|BLENDER\d\d-\d\dv", _machine("Blender model")),
    (rb"glTF[\x01\x02]\0\0\0", _machine("3D model (glTF)")),
    (rb"fig-kiwi.\0\0\0", _export("Figma drawing", "Figma")),
    # Databases and data
    (rb"SQLite format 3\0", _database("SQLite database")),
    (rb"\0\x01\0\0Standard (?:Jet|ACE) DB", _database("Access database")),
    (rb"PAR[1E][\0-\x1f]", _database("Parquet table")),
    (rb"ARROW1\0\0|FEA1\0{4}", _database("Arrow table")),
    (rb"\x89HDF\r\n\x1a\n", _database("HDF5 data")),
    (rb"CDF[\x01\x02\x05]", _database("NetCDF data")),
    (rb"\x93NUMPY", _database("NumPy data")),
    (rb"MATLAB 5\.0 MAT-file.{105}(?:IM|MI)", _database("MATLAB data")),
    (rb"\$FL[23]@\(#\)", _export("SPSS data", "SPSS", "CSV")),
    (rb"<stata_dta><header>|[\x71-\x73][\x01\x02]\x01\0", _export("Stata data", "Stata", "CSV")),
    (rb"\0{12}\xc2\xea\x81\x60\xb3\x14\x11\xcf", _export("SAS data", "SAS", "CSV")),
    (rb"RD[XAB][23]\n", _export("R data", "R", "CSV")),
    (rb"\0\0\x27\x0a\0{20}", _machine("map shapes (Shapefile)")),
    (rb"[\x03\x83\x8b\xf5].[\x01-\x0c][\x01-\x1f].{28}[A-Za-z_]\w*\0", _database("dBase table")),
    (
        rb"bplist0\d[\0-\x1f\x80-\xff]",
        Known("Apple property list", "convert it with plutil -convert xml1"),
    ),
    # Archives that are not opened
    (rb"Rar!\x1a\x07", _archive("RAR archive")),
    (rb"MSCF\0\0\0\0", _archive("cabinet archive")),
    (rb"!<arch>\ndebian-binary.{45}\x60\n", _machine("Debian package")),
    (rb"!<arch>\n(?:.{58}`\n|\Z)", _archive("ar archive")),
    (rb"\x60\xea.{2}[\0-\x24]", _archive("ARJ archive")),
    (rb".{2}-l[hz][\dds]-", _archive("LHA archive")),
    (rb".{7}\*\*ACE\*\*", _archive("ACE archive")),
    (rb"SIT!\0|StuffIt \(c\)1997-\d{4}", _archive("StuffIt archive")),
    (rb"\x1f\x9d|\x1f\xa0", _archive("compress archive (.Z)")),
    (rb"LZIP\x01|\x89LZO\0\r\n\x1a\n|\x04\x22\x4d\x18", _archive("compressed file (lz)")),
    (rb"07070[12][0-9A-Fa-f]{104}|070707[0-7]{70}|\xc7\x71", _archive("cpio archive")),
    (rb"xar!\0\x1c", _archive("xar archive")),
    (rb"\xed\xab\xee\xdb", _machine("RPM package")),
    (
        rb"MSWIM\0\0\0|QFI\xfb|KDMV[\x01-\x03]\0|vhdxfile.\0|conectix\0|<<< [^\n]{0,60}>>>\n\0",
        _machine("disk image"),
    ),
    (rb".{32769}CD001", Known("disk image (ISO)", _UNPACK)),
    # What is locked
    (
        rb"Salted__|age-encryption\.org/v1\n-> |LUKS\xba\xbe",
        Known("encrypted file", "decrypt it", "encrypted"),
    ),
    (
        rb"\x85[\x01-\x04].\x03|\x8c\x0d\x04|\x84\x5e\x03",
        Known("PGP message", "decrypt it", "encrypted"),
    ),
    (rb"-----BEGIN PGP MESSAGE-----\r?\n", Known("PGP message", "decrypt it", "encrypted")),
    (rb"-----BEGIN PGP SIGNATURE-----\r?\n", _machine("PGP signature")),
    # Programs and what they keep
    (rb"\x7fELF[\x01\x02][\x01\x02]", _machine("program")),
    (rb"MZ.{0,62}[\0-\x08\x0e-\x1f]", _machine("program (Windows)")),
    (rb"\xca\xfe\xba\xbe\0\0\0", _machine("program (Java or macOS)")),
    (rb"[\xce\xcf]\xfa\xed\xfe|\xfe\xed\xfa[\xce\xcf]", _machine("program (macOS)")),
    (rb"\0asm[\x01\x02]\0\0\0", _machine("program (WebAssembly)")),
    (rb"dex\n0\d\d\0", _machine("program (Android)")),
    (rb"[\0-\xff]{2}\r\n(?:\0\0\0\0|[\x01\x03]\0\0\0)", _machine("compiled Python")),
    (rb"\x4c\0\0\0\x01\x14\x02\0", _machine("Windows shortcut")),
    (rb"regf.{3}\0|ElfFile\0|ElfChnk\0", _machine("record of Windows")),
    (rb"\0\0\0\x01Bud1\0", _machine("record of the Finder")),
    (rb"PACK\0\0\0[\x02\x03]|DIRC\0\0\0", _machine("record of Git")),
    (rb"d\d+:announce", _machine("torrent")),
    (rb"[FCZ]WS[\x01-\x30].{3}[\0-\x1f]", _machine("Flash film")),
    (rb"GGUF[\x01-\x04]\0\0\0", _machine("weights of a model")),
)


@cache
def _any_kind() -> re.Pattern[bytes]:
    """What begins as any of them: most files do not, and one look says so.

    Compiled when a file is looked at, since it takes as long as the rest of a start.
    """
    return re.compile(b"|".join(b"(?:%s)" % pattern for pattern, _ in _BY_BYTES), re.DOTALL)


# A member that tells which kind of ZIP file it is, or the beginning of its name.
_BY_MEMBER: tuple[tuple[str, Known], ...] = (
    ("visio/", _export("Visio drawing", "Visio")),
    ("FixedDocSeq.fdseq", _export("XPS document", "an XPS viewer")),
    ("FixedDocumentSequence.fdseq", _export("XPS document", "an XPS viewer")),
    ("Documents/1/", _export("XPS document", "an XPS viewer")),
    ("Contents/section0.xml", _export("Hangul document", "Hangul")),
    ("designmap.xml", _export("InDesign document", "InDesign")),
    ("document.json", _export("Sketch drawing", "Sketch")),
    ("AndroidManifest.xml", _machine("Android program")),
    ("Payload/", _machine("iPhone program")),
    ("extension.vsixmanifest", _machine("program extension")),
    ("META-INF/MANIFEST.MF", _machine("Java program")),
    ("doc.kml", Known("places (KMZ)", "save them as KML")),
    ("3D/3dmodel.model", _machine("3D model (3MF)")),
)
# A stream or storage at the top of a compound file.
_BY_STREAM: tuple[tuple[str, Known], ...] = (
    ("VisioDocument", _export("Visio drawing", "Visio")),
    ("Quill", _export("Publisher document", "Publisher")),
    ("FileHeader", _export("Hangul document", "Hangul")),
    ("\x05HwpSummaryInformation", _export("Hangul document", "Hangul")),
    ("PerfectOffice_MAIN", _export("WordPerfect document", "LibreOffice", "DOCX or PDF")),
    ("MatOST", _export("Works document", "LibreOffice", "DOCX or PDF")),
    ("   114", _export("Project plan", "Project")),
    ("   112", _export("Project plan", "Project")),
    ("Catalog", _machine("thumbnails")),
    ("SwDocContentMgr", _export("SolidWorks model", "SolidWorks")),
    ("RSeDb", _export("Inventor model", "Inventor")),
    ("StarWriterDocument", _export("StarOffice document", "LibreOffice", "DOCX or PDF")),
    ("StarCalcDocument", _export("StarOffice sheet", "LibreOffice", "XLSX")),
    ("JSRV_SegmentInformation", _export("Ichitaro document", "Ichitaro")),
    ("DocumentText", _export("Ichitaro document", "Ichitaro")),
    ("\x05SummaryInformation", Known("legacy Office document", "open and save it as DOCX or PDF")),
)
# For files whose bytes say nothing, or the same for several kinds.
_BY_SUFFIX: dict[str, Known] = {
    **dict.fromkeys((".nef", ".arw", ".dng", ".pef", ".srw"), _picture("photo (camera raw)")),
    **dict.fromkeys((".tga", ".pcx"), _picture("picture")),
    **dict.fromkeys((".mpp", ".mpt"), _export("Project plan", "Project")),
    ".pub": _export("Publisher document", "Publisher"),
    ".vsd": _export("Visio drawing", "Visio"),
    ".wps": _export("Works document", "LibreOffice", "DOCX or PDF"),
    **dict.fromkeys((".cbz", ".cbr"), _export("comic book", "Calibre")),
    ".p7m": Known("signed or encrypted message", "save it as .eml from your mail program"),
    ".p7s": _machine("signature"),
    ".stl": _machine("3D model (STL)"),
    ".skp": _export("SketchUp model", "SketchUp"),
    ".indd": _export("InDesign document", "InDesign"),
    ".ts": _film("film (MPEG)"),
    ".dmg": _archive("disk image (macOS)"),
    **dict.fromkeys((".pkl", ".pickle", ".joblib"), _machine("Python data")),
    **dict.fromkeys((".pt", ".pth", ".ckpt", ".safetensors"), _machine("weights of a model")),
    **dict.fromkeys((".npz", ".rds", ".sav", ".sas7bdat"), _database("data")),
    **dict.fromkeys((".azw", ".azw3", ".mobi", ".kfx"), _export("Kindle book", "Calibre", "EPUB")),
    **dict.fromkeys((".jar", ".war", ".ear"), _machine("Java program")),
    **dict.fromkeys((".apk", ".ipa", ".xpi", ".crx", ".whl"), _machine("program")),
    **dict.fromkeys((".sketch",), _export("Sketch drawing", "Sketch")),
    **dict.fromkeys((".xps", ".oxps"), _export("XPS document", "an XPS viewer")),
    **dict.fromkeys((".qbw", ".qbb"), _export("QuickBooks file", "QuickBooks", "CSV or PDF")),
    **dict.fromkeys(
        (".gdoc", ".gsheet", ".gslides"), Known("link to Google", "download it as DOCX")
    ),
}
_NOT_TEXT = Known("not text", "", "binary")


def known_by_bytes(sample: bytes) -> Known | None:
    """What a file that begins so is, None where the bytes say nothing."""
    if not _any_kind().match(sample):
        return None
    return next(known for pattern, known in _BY_BYTES if re.match(pattern, sample, re.DOTALL))


def known_by_name(path: str, otherwise: Known) -> Known:
    """What a file is by its name, where its bytes do not say."""
    return _BY_SUFFIX.get(PurePosixPath(path).suffix.lower(), otherwise)


def known_zip(names: Collection[str], path: str) -> Known:
    """What a ZIP file is that no reader knows; what is in it may be words, so it is no binary."""
    for member, known in _BY_MEMBER:
        if any(name == member or (member[-1] == "/" and name.startswith(member)) for name in names):
            return replace(known, reason="unsupported")
    known = known_by_name(path, Known("ZIP archive", "call it .zip to have its files read"))
    return replace(known, reason="unsupported")


def known_compound(streams: Collection[str], path: str) -> Known:
    """What a compound file is that no reader knows."""
    *_, general = _BY_STREAM
    for stream, known in _BY_STREAM[:-1]:
        if stream in streams:
            return replace(known, reason="unsupported")
    return replace(known_by_name(path, general[1]), reason="unsupported")


def not_text(path: str) -> Known:
    """What a file is whose bytes are no text and say nothing."""
    return known_by_name(path, _NOT_TEXT)
