"""Kinds of files that are recognised to say what they are, and what would be read instead.

One table of first bytes and of suffixes; pure. Called by `magic`, which decides what is read.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import PurePosixPath

from indexer.errors import UnreadableDocument
from indexer.extract.text.plain import is_text


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


# Pictures that can be decoded, so that their words may be recognised.
RECOGNISABLE = frozenset(
    {"picture (PNG)", "photo (JPEG)", "picture (TIFF)", "picture (WebP)", "photo (HEIC)"}
)
# What would be read of a kind: a word of the table, the reason, and the advice. Any other word is
# the program that exports it, with the form behind a colon.
_ADVICE = {
    "words": ("binary", "its words are read from a searchable PDF of it"),
    "heard": ("binary", "a transcript beside it is read"),
    "seen": ("binary", "its subtitles as .srt or .vtt are read"),
    "tables": ("binary", "export its tables as CSV"),
    "unpack": ("unsupported", "unpack it beside it"),
    "decrypt": ("encrypted", "decrypt it"),
    "mail": ("unsupported", "save it as .eml from your mail program"),
    "google": ("unsupported", "download it as DOCX"),
    "-": ("binary", ""),
}
# Kind | what would be read | first bytes, with "?" for any and an offset before "@" | suffixes.
# The first row whose bytes fit counts; bytes that are all letters begin no file that is text.
_TABLE = r"""
picture (PNG)        | words  | \x89PNG |
photo (JPEG)         | words  | \xff\xd8\xff |
photo (Canon raw)    | words  | II*\0????CR 4@ftypcrx |
picture (TIFF)       | words  | II*\0 MM\0* II+\0 MM\0+ |
picture (WebP)       | words  | RIFF????WEBP |
photo (HEIC)         | words  | 4@ftyphei 4@ftyphev 4@ftypmif1 4@ftypmsf1 |
picture (AVIF)       | words  | 4@ftypavi | .avif
picture (GIF)        | words  | GIF87a GIF89a | .gif
picture (BMP)        | words  | BM????\0\0\0\0 | .bmp
picture (JPEG XL)    | words  | \xff\x0a \0\0\0\x0cJXL | .jxl
picture (JPEG 2000)  | words  | \0\0\0\x0cjP \xff\x4f\xff\x51 | .jp2
icon                 | words  | \0\0\x01\0 | .ico
photo (camera raw)   | words  | FUJIFILMCCD-RAW IIRO IIRS IIU\0 | .nef .arw .dng .pef .srw
picture              | words  | | .tga .pcx .exr .emf .wmf
Photoshop picture    | Photoshop | 8BPS | .psd
GIMP picture         | GIMP   | | .xcf
sound (WAV)          | heard  | RIFF????WAVE |
film (AVI)           | seen   | RIFF????AVI |
sound (MP3)          | heard  | ID3 \xff\xfb \xff\xf3 | .mp3
sound or film (Ogg)  | heard  | OggS | .ogg .opus
sound (FLAC)         | heard  | fLaC | .flac
sound (M4A)          | heard  | 4@ftypM4A | .m4a
sound                | heard  | | .aac .aif .aiff .amr .mid .midi
film (QuickTime)     | seen   | 4@ftypqt 4@moov | .mov
film (MP4)           | seen   | 4@ftyp | .mp4
film (Matroska or WebM) | seen | \x1a\x45\xdf\xa3 | .mkv .webm
film (MPEG)          | seen   | \0\0\x01\xba \0\0\x01\xb3 | .mpg .mpeg .ts
sound or film        | seen   | \x30\x26\xb2\x75 | .wmv .wma .flv .swf
OneNote section      | OneNote | \xe4\x52\x5c\x7b | .one .onetoc2
Outlook data file    | Outlook:.msg or .eml | !BDN | .pst .ost
Lotus Notes database | Notes:.eml | \x1a\0\0\x04 | .nsf
Kindle book          | Calibre:EPUB | 60@BOOKMOBI | .azw .azw3 .mobi .kfx .prc
help file (CHM)      | Calibre:EPUB or PDF | ITSF | .chm
DjVu document        | a DjVu viewer | AT&TFORM | .djvu .djv
WordPerfect document | LibreOffice:DOCX or PDF | \xffWPC | .wpd
Works document       | LibreOffice:DOCX or PDF | | .wps .wri
Lotus 1-2-3 sheet    | LibreOffice:XLSX | \0\0\x02\0\x06\x04 \0\0\x1a\0 | .wk1 .123
StarOffice document  | LibreOffice:DOCX or PDF | | .sdw .sdc .sdd
Hangul document      | Hangul | | .hwp .hwpx
Ichitaro document    | Ichitaro | | .jtd
InDesign document    | InDesign | \x06\x06\xed\xf5 | .indd .idml
Project plan         | Project | | .mpp .mpt
Publisher document   | Publisher | | .pub
Visio drawing        | Visio  | | .vsd .vsdx .vsdm
XPS document         | an XPS viewer | | .xps .oxps
comic book           | Calibre | | .cbz .cbr
Sketch drawing       | Sketch | | .sketch
Figma drawing        | Figma  | fig-kiwi | .fig
AutoCAD drawing      | AutoCAD | AC10 | .dwg
SketchUp model       | SketchUp | \xff\xfe\xff\x0eS | .skp
model of a thing     | -      | | .stl .3mf .blend .glb .3dm .sldprt .ipt
font                 | -      | OTTO wOFF wOF2 ttcf \0\x01\0\0\0 | .ttf .otf .woff .woff2
SQLite database      | tables | SQLite?format?3\0 |
Access database      | tables | \0\x01\0\0Standard | .mdb .accdb
data                 | tables | PAR1 ARROW1 \x89HDF \x93NUMPY | .npz .rds .sav .sas7bdat .dta .dbf .nc .mat
QuickBooks file      | QuickBooks:CSV or PDF | | .qbw .qbb
link to Google       | google | | .gdoc .gsheet .gslides
RAR archive          | unpack | Rar!\x1a |
7z archive           | unpack | 7z\xbc\xaf |
zstandard archive    | unpack | \x28\xb5\x2f\xfd |
cabinet archive      | unpack | MSCF | .cab
other archive        | unpack | xar! \x1f\x9d LZIP | .lha .lzh .arj .ace .sit .cpio .lz .z .deb .rpm .ar
disk image           | unpack | 32769@CD001 QFI KDMV vhdxfile conectix | .iso .dmg
letter of Outlook (TNEF) | mail | \x78\x9f\x3e\x22 |
signed or encrypted message | mail | | .p7m
encrypted file       | decrypt | Salted__ age-encryption.org/v1\x0a->? LUKS\xba\xbe |
PGP message          | decrypt | -----BEGIN?PGP?MESSAGE-----\x0a -----BEGIN?PGP?MESSAGE-----\x0d |
PGP message          | decrypt | \x85??\x03 \x8c\x0d\x04 \x84\x5e\x03 |
signature            | -      | -----BEGIN?PGP?SIGNATURE-----\x0a -----BEGIN?PGP?SIGNATURE-----\x0d | .p7s
program              | -      | \x7fELF \xca\xfe\xba\xbe \xcf\xfa\xed\xfe \0asm | .apk .ipa .jar .war .ear .whl
program (Windows)    | -      | MZ | .exe .dll
record of a program  | -      | regf \0\0\0\x01Bud1 PACK\0 DIRC\0 \x4c\0\0\0\x01\x14 GGUF | .crx .xpi .vsix
Apple property list  | a program that opens it:XML | bplist |
Python data          | -      | | .pkl .pickle .joblib .pyc
weights of a model   | -      | | .pt .pth .ckpt .safetensors
places (KMZ)         | a map program:KML | | .kmz
"""  # noqa: E501 - rows of a table
_NOT_TEXT = Known("not text", "", "binary")


@dataclass(frozen=True, slots=True)
class _Mark:
    """Bytes at an offset, where "?" stands for any; `of_letters` if they could begin a text."""

    offset: int
    sign: bytes
    of_letters: bool
    known: Known

    def begins(self, sample: bytes) -> bool:
        found = sample[self.offset : self.offset + len(self.sign)]
        pairs = zip(found, self.sign, strict=False)
        return len(found) == len(self.sign) and all(a == b or b == _ANY for a, b in pairs)


_ANY = ord("?")


@cache
def _table() -> tuple[dict[int, list[_Mark]], list[_Mark], dict[str, Known]]:
    """Marks by their first byte, marks further on, kinds by suffix; made when a file asks."""
    first: dict[int, list[_Mark]] = {}
    later: list[_Mark] = []
    by_suffix: dict[str, Known] = {}
    for row in filter(None, _TABLE.split("\n")):
        what, advice, signs, suffixes = (cell.strip() for cell in row.split("|"))
        program, _, form = advice.partition(":")
        exported = ("unsupported", f"export as {form or 'PDF'} from {program}")
        reason, says = _ADVICE.get(advice, exported)
        known = Known(what, says, reason)
        for mark in (_mark(sign, known) for sign in signs.split()):
            (later if mark.offset else first.setdefault(mark.sign[0], [])).append(mark)
        by_suffix |= dict.fromkeys(suffixes.split(), known)
    return first, later, by_suffix


def _mark(sign: str, known: Known) -> _Mark:
    offset, _, letters = sign.rpartition("@")
    data = letters.encode("ascii").decode("unicode_escape").encode("latin-1")
    return _Mark(int(offset or 0), data, all(0x20 <= byte < 0x7F for byte in data), known)


def known_by_bytes(sample: bytes) -> Known | None:
    """What a file that begins so is, None where the bytes say nothing."""
    first, later, _ = _table()
    marks = (*first.get(sample[0], ()), *later) if sample else ()
    found = next((mark for mark in marks if mark.begins(sample)), None)
    if found is not None:
        return None if found.of_letters and is_text(sample) else found.known
    if sample.startswith(b"%!PS-Adobe-") and b"\n%%" in sample[:8000]:
        return Known("PostScript document", "export as PDF from ps2pdf")
    return None


def known_by_name(path: str, otherwise: Known = _NOT_TEXT) -> Known:
    """What a file is by its name, where its bytes do not say."""
    return _table()[2].get(PurePosixPath(path).suffix.lower(), otherwise)


def known_container(path: str, otherwise: Known) -> Known:
    """What a container is that no reader knows; what is in it may be words, so it is no binary."""
    return replace(known_by_name(path, otherwise), reason="unsupported")
