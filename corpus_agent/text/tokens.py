"""Words of questions and documents: folding, stop words, content words."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

import regex

UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}"
"""Scripts without spaces between words, for a class of characters."""
_PAIRED = rf"{UNSPACED}\p{{Hangul}}ー"  # Korean words carry their particles
_WORD = regex.compile(
    rf"[{_PAIRED}][{_PAIRED}\p{{M}}]*|(?:(?![{_PAIRED}])[\p{{L}}\p{{M}}\p{{N}}])+"
)
_IN_PAIRS = regex.compile(rf"[{_PAIRED}]")
_HIRAGANA = regex.compile(r"\p{Hiragana}+")
_DIGIT = regex.compile(r"\p{N}")
_MARKS = regex.compile(r"[\u0300-\u036f]+")


def fold(text: str) -> str:
    """The text without case, accents and compatibility forms; kana and Hangul stay whole."""
    if text.isascii():
        return text.lower()
    bare = _MARKS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFKC", bare).casefold()


def terms(text: str) -> list[str]:
    """The folded words of a text; a run of a script without spaces becomes its character pairs."""
    found: list[str] = []
    for word in _WORD.findall(fold(text)):
        if _IN_PAIRS.match(word):
            found.extend(word[i : i + 2] for i in range(max(1, len(word) - 1)))
        else:
            found.append(word)
    return found


_STOP_TEXT = """
a about above after again against all also am an and any are as at be because been before being
below between both but by can could did do does doing down during each few for from further had
has have having he her here hers him his how i if in into is it its itself just me more most my
no nor not now of off on once only or other our ours out over own s same shall she should so
some such t than that the their theirs them then there these they this those through to too
under until up upon us very was we were what when where which while who whom whose why will with
would you your yours d ll m re ve doesn don didn isn wasn aren won many much name named called
happen happened long old often far kind type tell please find know mean means need
"""
_OTHER_STOP_TEXT = """
der die das den dem des ein eine einer eines einem einen und oder aber ist sind war waren wird
werden wurde wurden hat haben hatte was wer wen wem wann wo wie warum welche welcher welches welchen
wieviel viel viele von vom zu zum zur im in am an auf aus bei mit nach für uber unter durch nicht
auch es er sie wir ich mein meine unser unsere le la les un une des du de et ou est sont était qui
que quoi quand comment combien pourquoi quel quelle quels quelles dans sur avec pour par ne pas
ce cette il elle nous vous mon ma mes notre au aux l qu el los las una uno y o es son fue fueron
quién qué cuál cuándo dónde cómo cuánto cuánta cuántos cuántas por para con sin del al en se su
sus mi mis nuestro lo gli e di che chi quando dove come quanto quanti quale per non della nel
het een en van is wat wie waar wanneer hoe hoeveel welke voor met
です ます した する ある いる どこ いつ 何 誰 とは
что как где когда кто кого какой какая какое какие каком каких сколько почему который
которая которые в на и с по из от для о об у к за был была было были есть это не он она они его
их при до
τι ποιος ποια ποιο ποιοι ποιες ποιον πότε που πως πόσο πόσα πόσοι πόσες γιατί το τα ο η οι του της
των τον την στο στη στην στον στα στις και με από για είναι ήταν σε ένα μια ένας να δεν
αυτό τους τις
nedir hangi hangisi nerede nereye nasıl neden kaç bir ve bu ile için olarak olan gibi
là gì nào của những các được trong một với khi đâu bao nhiêu đã như sao
ما ماذا من هو هي متى أين كيف كم لماذا في على إلى عن مع التي الذي كان كانت هل أي أن تم
क्या कौन कब कहाँ कैसे क्यों कितना कितने कितनी किस किसने किसे का की के को में से पर है हैं था थी थे ने और एक यह
वह कि लिए द्वारा
"""
STOP_WORDS = frozenset(fold(_STOP_TEXT + _OTHER_STOP_TEXT).split())
OTHER_STOP_WORDS = STOP_WORDS - frozenset(fold(_STOP_TEXT).split())
"""Those that no English sentence has."""


# What asks in scripts without spaces, whose pairs of characters are no words.
_ASKING = regex.compile(
    "为什么|什么时候|什么|哪[些个里儿年种]|多少|何时|几个|谁|อะไร|ใคร|ที่ไหน|เมื่อไร|เมื่อใด|กี่|เท่าไร|เท่าไหร่|เท่าใด|อย่างไร|ทำไม|ไหน|ใด"
)
_NOUNS_ARE_CAPITALISED = ("de", "lb")


def content_terms(question: str) -> list[str]:
    """The words of a question that carry its subject, each once; all its words if none do."""
    every = list(dict.fromkeys(terms(_ASKING.sub(" ", question))))
    kept = [
        word
        for word in every
        if word not in STOP_WORDS
        and (len(word) > 1 or _DIGIT.search(word) or _IN_PAIRS.match(word))
        and not _HIRAGANA.fullmatch(word)
    ]
    return kept or every


_FISCAL = regex.compile(r"fy(?:20)?(\d\d)")


def _year(word: str) -> str:
    """A word, of a fiscal year the year alone: fy22 is 2022."""
    found = _FISCAL.fullmatch(word)
    return f"20{found[1]}" if found else word


def same_word(one: str, other: str) -> bool:
    """Whether two folded words are forms of one (intercept, intercepted) or one year (fy22)."""
    if one == other:
        return True
    if "fy" in (one[:2], other[:2]) and _year(one) == _year(other):
        return True
    short, long = sorted((one, other), key=len)
    if len(short) < 3 or short[0] != long[0] or _DIGIT.search(one) or _DIGIT.search(other):
        return False
    if long.startswith(short) and long[len(short) :] in ("s", "es"):
        return True
    common = next(
        (i for i, (x, y) in enumerate(zip(short, long, strict=False)) if x != y), len(short)
    )
    return common >= 4 and len(long) - common <= 3 and common >= 0.6 * len(long)


def words_held(words: Iterable[str], text: str) -> list[str]:
    """The words that a text has in any form."""
    there = set(terms(text))
    return [word for word in words if any(same_word(word, other) for other in there)]


def word_spans(text: str) -> list[tuple[int, int, str]]:
    """Start, end and folded form of each content word, except in scripts without spaces."""
    found = []
    for match in _WORD.finditer(text):
        word = fold(match.group())
        if _IN_PAIRS.match(word) or word in STOP_WORDS or (len(word) < 2 and not has_digit(word)):
            continue
        found.append((match.start(), match.end(), word))
    return found


def is_code(word: str) -> bool:
    """Whether a word mixes letters and digits, like error codes and part numbers."""
    return len(word) > 2 and has_digit(word) and any(char.isalpha() for char in word)


def shape(code: str) -> str:
    """A code with each digit as 0, so that those of one kind are equal."""
    return "".join("0" if has_digit(character) else character for character in code)


def has_digit(text: str) -> bool:
    """Whether a numeral of any script occurs."""
    return bool(_DIGIT.search(text))


# A capital letter after the first word, or a figure: E1042, 2003, Dunmoor.
_NAME = regex.compile(r"(?<=\S\s)\p{Lu}[\p{L}\p{M}\p{N}'’-]+|[\p{L}-]*\p{N}[\p{L}\p{N}:.,-]*")


def name_terms(question: str, language: str = "") -> frozenset[str]:
    """The words of a question that look like names, codes or figures, folded."""
    names = _NAME.findall(question)
    if language in _NOUNS_ARE_CAPITALISED:
        names = [name for name in names if not name.istitle()]
    found = (word for name in names for word in terms(name))
    return frozenset(found) - STOP_WORDS


_GERMAN_TEXT = "der die das und ist nicht ein eine einen dem den wird sind mit fur zum zur im"
_GERMAN = frozenset(_GERMAN_TEXT.split())


def names_are_nouns(text: str) -> bool:
    """Whether a text is German, which capitalises all nouns like names."""
    return not _GERMAN.isdisjoint(fold(text).split())
