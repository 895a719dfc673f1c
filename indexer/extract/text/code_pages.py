"""Detects single-byte code pages by the letters of languages. Pure.

The pages of one script differ in few letters, and each decodes text of the others. The right page
is the one under which the non-ASCII letters of a text belong to one language. Called by `plain`,
for bytes that are not UTF-8.
"""

from __future__ import annotations

import re
from collections import Counter

# The commonest first: it wins where pages explain a text equally well.
PAGES = (
    *("cp1252", "cp1250", "iso8859_2", "cp1254", "cp1257", "cp1251", "koi8_r", "cp866"),
    *("iso8859_5", "cp1253", "cp1255", "cp1256", "iso8859_6", "cp874"),
)
# Letters beyond ASCII by language. Of scripts that have no others the commonest small letters:
# in the wrong page of such a script letters remain letters, but rare ones and capitals.
_LANGUAGES = tuple(
    frozenset(letters)
    for letters in (
        "äöüß",  # German
        "àâæçéèêëîïôœùûüÿ",  # French
        "áéíñóúüªº",  # Spanish
        "àáâãçéêíóôõúªº",  # Portuguese
        "àèéìíòóùú",  # Italian
        "äåæéöøü",  # Danish, Norwegian, Swedish, Finnish
        "áæéíðóöþúý",  # Icelandic
        "äëïöüéèáóíúĳ",  # Dutch
        "äöõüšž",  # Estonian
        "áéíóöőúüű",  # Hungarian
        "áčďéěíňóřšťúůýž",  # Czech
        "áäčďéíĺľňóôŕšťúýž",  # Slovak
        "ąćęłńóśźż",  # Polish
        "ćčđšž",  # Croatian, Slovene
        "ăâîşţ",  # Romanian
        "çğıöşüâîİ",  # Turkish
        "ąčęėįšųūž",  # Lithuanian
        "āčēģīķļņšūž",  # Latvian
        "оеаинтсрвлкмдпуяыьгзбчйх",  # Russian, Bulgarian
        "оаинвіеіртслкдумпзбяьгїєй",  # Ukrainian
        "αοιετσνηυρπκμλςγδωχθφβάόίέύήώ",  # Greek
        "אבגדהוזחטיךכלםמןנסעףפץצקרשת",  # Hebrew
        "ابتجحدرسشصعفقكلمنهويةأىإ،",  # Arabic
        "กขคงจชดตถทนบปผพมยรลวสหอะาิีึืุูเแโใไ่้็์ำั",  # Thai
    )
)
_CASED = tuple(letters for letters in _LANGUAGES if min(letters) < "Ͱ")
_OTHERS = _LANGUAGES[len(_CASED) :]
_MIXED = re.compile(r"[A-Za-z](?=[^\x00-\x7f])|[^\x00-\x7f](?=[A-Za-z])")  # two scripts in a word
# Signs that texts of any language have.
_SIGNS = frozenset("“”„‘’‚«»‹›–—…°§©®™€£•·¡¿±×÷½¼²³µ´\u00a0\u00ad")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
_BOTH_CASES = tuple(letters | set("".join(letters).upper()) for letters in _OTHERS)
CAPITAL = 0.5  # of a small letter's weight: in the wrong page the cases change places
SCORED_CHARS = 2**16  # tell as much as all of a long text
MARGIN = 0.02  # by which another page must explain more than one before it


def best_page(data: bytes) -> tuple[str, float]:
    """The page under which most non-ASCII characters belong to one language, and their share.

    ("", 0.0) if no page decodes all bytes.
    """
    found, best = "", 0.0
    for page in PAGES:
        try:
            text = data.decode(page)
        except UnicodeDecodeError:
            continue
        share = _explained(text[:SCORED_CHARS])
        if not found or share > best + MARGIN:
            found, best = page, share
    return found, best


def _weight(letter: str) -> float:
    return CAPITAL if letter.isupper() else 1.0


def _explained(text: str) -> float:
    """The share of the non-ASCII characters, except signs, that belong to one language."""
    counts = Counter(_BEYOND_ASCII.findall(text))
    for sign in _SIGNS & counts.keys():
        del counts[sign]
    total = counts.total()
    if not total:
        return 1.0
    small = Counter[str]()
    for char, count in counts.items():
        small[char if char == "İ" else char.lower()] += count  # which is two characters, small
    latin = max(sum(small[char] for char in letters) for letters in _CASED)
    other = max(sum(_weight(char) * counts[char] for char in both) for both in _BOTH_CASES)
    return max(latin, other - len(_MIXED.findall(text))) / total
