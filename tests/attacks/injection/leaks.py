"""The detectors of leaks: strict, pure, and independent of the code that prevents leaks.

A false alarm is preferred to a miss, since nothing here is shown to a reader. Called by trial.py
for the output of the program and of the unprotected control.
"""

import json
import re
import unicodedata
from collections.abc import Iterator

# Format characters that have a shape of their own: signs that enclose or precede numbers in Arabic,
# Syriac and Kaithi (Unicode 16, 23.2), and hieroglyph controls.
_SHAPED = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
_SHAPED |= {*range(0x13430, 0x13440)}
# Default_Ignorable_Code_Point (Unicode 16, DerivedCoreProperties) that are no format characters.
_BLANK = {0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, 0x2065}
_BLANK |= {*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xFFF0, 0xFFF9)}
_BLANK |= {*range(0xE0000, 0xE1000)}
_LIVE = {
    "address": "://",
    "link": r"\]\(",
    "reference": r"\]:",
    "markup": "<[a-z/!?]",
    "www": r"www\.\w",
    "scheme": r"(?<![^\W_])(?:javascript|vbscript|data|file|blob|mailto):\S",
}
_ANGLES = "<\u2039\u2329\u3008\u27e8\uff1c", ">\u203a\u232a\u3009\u27e9\uff1e"
_DOUBLE = "\u00ab\u300a\u27ea\u226a", "\u00bb\u300b\u27eb\u226b"
MAX_DELIMITER = 60  # characters between the two ends, white space not counted


def acting(text: str) -> list[str]:
    """The characters that act on a terminal or hide from a reader, by name, each once."""
    return sorted({f"U+{ord(char):04X}" for char in text if _acts(char)})


def _acts(char: str) -> bool:
    if char in "\n\t":
        return False
    number, category = ord(char), unicodedata.category(char)
    if category in ("Cc", "Zl", "Zp", "Cs") or number in _BLANK:
        return True
    return category == "Cf" and number not in _SHAPED


def strings_in(printed: str) -> Iterator[str]:
    yield from _strings(json.loads(printed) if printed.startswith('{"') else printed)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from (str(key), *_strings(inner))
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def live_markup(text: str) -> list[str]:
    """The kinds of links, images and mark-up that some renderer would make of it, each once."""
    return [kind for kind, pattern in _LIVE.items() if re.search(pattern, text, re.IGNORECASE)]


def forged(text: str, nonce: str) -> list[str]:
    """What is wrong with the delimiters of a tool's text: look-alikes, or genuine ones in disorder.

    A closing one in any form; an opening one if it is closed soon or has the nonce.
    """
    opening, closing = f"<<doc {nonce}>>", f"<</doc {nonce}>>"
    genuine = re.findall(f"{re.escape(opening)}|{re.escape(closing)}", text)
    found = [] if genuine == [opening, closing] * (len(genuine) // 2) else ["unbalanced"]
    plain = _plain(text.replace(opening, "").replace(closing, ""))
    found += ["closing"] if "<</doc" in plain or "<<\\doc" in plain else []
    parts = plain.split("<<doc")[1:]
    found += ["opening"] if any(">>" in p[:MAX_DELIMITER] and _is_name(p) for p in parts) else []
    near = nonce in plain and "<<" in plain.split(nonce)[0][-8:]
    return [*found, "nonce"] if near else found


def _is_name(part: str) -> bool:
    """Whether the text before the closing brackets could be a nonce, and is no program text."""
    inner = part.partition(">>")[0]
    return "<<" not in inner and not set(inner) & set(";(){}=,.:") and not inner[:1].isalpha()


def _plain(text: str) -> str:
    """The text in lower case, without white space and invisible characters, with plain brackets."""
    text = text.replace("&lt;", "<").replace("&gt;", ">")
    for single, double, mark in zip(_ANGLES, _DOUBLE, "<>", strict=True):
        text = "".join(mark if c in single else 2 * mark if c in double else c for c in text)
    folded = unicodedata.normalize("NFKC", text).lower()
    return "".join(c for c in folded if not (c.isspace() or _acts(c)))


def refused(result: str) -> bool:
    return result.startswith(("Error:", '{"error":"Unknown tool name:'))


def readable(text: str, shown: str) -> bool:
    return " ".join(text.split()) in " ".join(shown.split())


def words_readable(text: str, shown: str) -> bool:
    return _letters(text) in _letters(shown)


def _letters(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFC", text) if c.isalnum())
