"""What a file says of itself beside its text: title, author and day.

Pure. Values are bounded, placeholders are none. Called by the readers of formats that have them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from indexer.extract.normalise import whole

MAX_TITLE_CHARS = 200
MAX_AUTHOR_CHARS = 200
MAX_AUTHORS = 20
_LOOKED_AT = 2_000  # characters of a value; what is longer is cut
# Titles that a program left behind instead of an author, in six languages.
_NO_TITLE = re.compile(
    r"(?i)^(untitled.*|unbenannt.*|ohne titel.*|sans (titre|nom).*|sin (título|titulo|nombre).*"
    r"|senza (titolo|nome).*|sem (título|nome).*|zonder titel.*|unknown|no title"
    r"|\((anonymous|unspecified|untitled)\)"
    r"|microsoft (word|powerpoint|excel|office).*|(libre|open)office.*"
    r"|powerpoint.presentation|powerpoint.präsentation|présentation powerpoint"
    r"|presentaci[oó]n de powerpoint|presentazione (standard di )?powerpoint"
    r"|(slide|document|presentation|sheet|workbook|book|scan|scanned document|print|template"
    r"|dokument|präsentation|mappe|vorlage|folie|présentation|classeur|feuille|documento"
    r"|presentaci[oó]n|libro|presentazione|cartel|foglio|documentation)\s*\d*"
    r"|.*\.\w{2,4}|[\W\d_]*)$"
)
_NO_AUTHOR = re.compile(
    r"(?i)^(administrator|administrateur|administrador|amministratore|admin|root"
    r"|(windows |ms )?user|microsoft( office)?( user)?|office|benutzer|utilisateur|usuario|utente"
    r"|owner|author|autor|unknown|unbekannt|inconnu|desconocido|anonymous|anonym|guest|gast"
    r"|default|none|null|n/?a|\((anonymous|unspecified|unknown)\)"
    r"|python-docx|openpyxl|xlsxwriter|apache poi|[\W\d_]*)$"
)
# The author and the day of a template that a program fills and never dates anew.
_TEMPLATES = frozenset({"python-docx"})
_DAY = re.compile(r"\s*(?:D:)?((?:1\d|20|21)\d\d)(-?)(\d\d)\2(\d\d)(?![\d-])", re.ASCII)
_DAY_AND_TIME = re.compile(r"\s*(?:D:)?((?:1\d|20|21)\d\d)()(\d\d)(\d\d)(?=\d{2})", re.ASCII)
# What clocks and formats begin with: a day that nobody set.
_UNSET = frozenset(
    {"1601-01-01", "1899-12-30", "1899-12-31", "1900-01-01", "1904-01-01", "1970-01-01"}
    | {"1980-01-01"}
)


@dataclass(frozen=True, slots=True)
class OwnProperties:
    """What a file says of itself, "" where it says nothing; `date` is an ISO day."""

    title: str = ""
    author: str = ""
    date: str = ""


def own_properties(title: object = None, authors: object = None, *dates: object) -> OwnProperties:
    """The properties among values of any kind, placeholders left out; of the days the first.

    `authors` is a text or a list of them.
    """
    listed = [authors] if not isinstance(authors, list) else authors[:MAX_AUTHORS]
    named = [_on_one_line(each) for each in listed]
    author = ", ".join(dict.fromkeys(each for each in named if not _NO_AUTHOR.match(each)))
    if _TEMPLATES.intersection(named):
        dates = ()
    day = next((found for each in dates if (found := day_of(each))), "")
    return OwnProperties(usable_title(title) or "", author[:MAX_AUTHOR_CHARS].strip(), day)


def usable_title(title: object) -> str | None:
    """A title on one line; None for placeholders."""
    shown = _on_one_line(title)[:MAX_TITLE_CHARS].strip()
    return None if _NO_TITLE.match(shown) else shown


def day_of(value: object) -> str:
    """The day of a time in ISO form or as in a PDF ("D:20240312…"); "" for none, or one unset."""
    text = _on_one_line(value)
    found = _DAY.match(text) or _DAY_AND_TIME.match(text)
    if found is None:
        return ""
    day = f"{found[1]}-{found[3]}-{found[4]}"
    return day if is_day(day) and day not in _UNSET else ""


def is_day(text: str) -> bool:
    """Whether a text is a day of the calendar in ISO form, as "2024-03-12"."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _on_one_line(value: object) -> str:
    """A value without line ends and other control characters; "" if it is no text."""
    if not isinstance(value, str):
        return ""
    text = whole(value[:_LOOKED_AT])
    plain = (char if char.isprintable() or char.isspace() else " " for char in text)
    return " ".join("".join(plain).split())
