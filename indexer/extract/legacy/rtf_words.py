"""What the control words, signs and fonts of RTF stand for. Data; read by `rtf`.

Source: RTF Specification 1.9.1, "Contents of an RTF File".
"""

from __future__ import annotations

from indexer.extract.extraction import words

SIGNS = {"~": "\u00a0", "_": "\u2011", "-": "", "\\": "\\", "{": "{", "}": "}"}
CHARACTERS = {
    "tab": "\t",
    "line": "\n",
    "emdash": "—",
    "endash": "–",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "bullet": "•",
    "emspace": "\u2003",
    "enspace": "\u2002",
    "qmspace": "\u2005",
    "zwj": "\u200d",
    "zwnj": "\u200c",
}
ENDS = frozenset({"par", "sect", "page", "softpage"})
# Groups that hold no text of the document.
SKIPPED = words(
    "pict objdata themedata colorschememapping datastore latentstyles listtable "
    "rsidtbl listoverridetable generator xmlnstbl mmathPr header headerl headerr headerf "
    "footer footerl footerr footerf fldinst bkmkstart bkmkend xe tc tcn revtbl filetbl "
    "ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn nonshppict private1 sp panose falt "
    "operator keywords comment doccomm subject company manager category "
    "revtim printim buptim template atnid atnauthor atnref atndate atntime atnparent "
    "atrfstart atrfend docvar userprops wgrffmtfilter pnseclvl pgptbl protusertbl htmltag "
    "mhtmltag"
)
STARRED = frozenset({"annotation", "shppict", "shpinst", "ud", "pntext", "listtext", "footnote"})
CODE_PAGES = {  # by the character set of a font
    0: "cp1252",
    77: "mac_roman",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "gb18030",
    136: "cp950",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
    255: "cp850",
}
