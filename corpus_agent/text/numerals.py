# ruff: noqa: E501 - a pattern that is broken over lines is harder to read than a long one
"""Whether a number goes on past a place in a text: what a quotation must not cut in two.

Knows how numbers are written: groups and decimals, signs and brackets, fractions and exponents,
ranges, identifiers, units, number words, Chinese numerals. Generous on purpose: what may be part of
a number is. Reads no values, that is numbers.py. Pure; called by quotations.py.
"""

from __future__ import annotations

from functools import cache

import regex

from corpus_agent.text.number_words import (
    CARDINALS,
    FRACTIONS,
    MONTHS,
    ORDINALS,
    SCALES,
    UNITS,
    listed,
)
from corpus_agent.text.spelt_numbers import compound
from corpus_agent.text.tokens import fold

REACH = 60  # characters on either side that are looked at
NEAR = 40  # of those, where a number stands if one runs over

_HAN = "〇零一二三四五六七八九十百千万亿兆萬億壹贰叁肆伍陆柒捌玖拾佰仟两兩廿卅"
_HAN_SCALE = "百千万亿兆萬億"
_FIG = rf"[\p{{N}}{_HAN}]"
_DASH = r"[\p{Pd}−⁃]"
_CODES = "EUR|USD|GBP|CHF|JPY|CNY|RMB|INR|SEK|NOK|DKK|PLN|CAD|AUD|Rs|kr"
_MONEY = rf"(?:(?:US|A|C|HK)?\p{{Sc}}|(?<!\p{{Ll}})(?:{_CODES})\.?(?![\p{{L}}--\p{{Han}}]))"
# Beyond the tables: words that mean another thing elsewhere, and the commonest of other languages.
_WORDS = (
    "one half zero null cien ciento doscientos trescientos cuatrocientos quinientos seiscientos "
    "setecientos ochocientos novecientos cents cent anderthalb"
)
_SCALES = (
    "hundred hundreds thousands tn dozen dozens lakh lakhs crore crores Hundert Billion Dutzend "
    "millier milliers douzaine millardo millardos billón docena docenas тысяч тысячи "
    "миллион миллиона миллионов миллиард миллиарда миллиардов млн млрд тыс χιλιάδες εκατομμύρια "
    "εκατομμύριο δισεκατομμύρια δισεκατομμύριο bin milyon milyar trilyon ألف آلاف مليون ملايين "
    "TEUR Md Mds Mill Bio thsd lacs milioni miliardi mila "
    "مليار हज़ार हजार लाख करोड़ मिलियन बिलियन nghìn ngàn triệu tỷ พัน หมื่น แสน ล้าน"
)
_FRACTIONS = (
    "halves sixth sixths eighth eighths hundredth hundredths Sechstel Achtel Hundertstel "
    "demi demie cuarto cuartos fourth fourths seventh sevenths ninth ninths eleventh elevenths "
    "twelfth twelfths quinto quintos décimos décima décimas medio media"
)
_UNITS = (  # all of the short ones too: "m" is a unit, and "fr" and "mi" are words
    "mm cm dm km m kg g mg µg t l ml cl hl s ms min h hr hrs W kW MW GW kWh MWh Wh V kV mA Hz kHz "
    "MHz GHz kB KB MB GB TB Pa kPa hPa psi ft lb lbs oz mol dB px mph kmh day Tag mes ans año día "
    "centímetro centímetros milímetro milímetros degree degrees cents Cent Minute Std Metern "
    "Kilometern Grad gramme grammes degré degrés gramo gramos kilogramo kilogramos metro metros "
    "kilómetro kilómetros litro litros grado grados peso pesos yen rupee rupees Rappen Kč zł "
    "francs bar kbar mbar ppm mcg IU times fold person persons Werktag Werktagen Uhr"
)
_HOURS = "h Uhr heure heures ft"  # what minutes or inches may follow without a unit
_LISTED = (
    ("W", (*_WORDS.split(), *listed(CARDINALS))),
    ("S", (*_SCALES.split(), *listed(SCALES))),
    ("F", (*_FRACTIONS.split(), *listed(FRACTIONS))),
    ("U", (*_UNITS.split(), *(word for word in " ".join(UNITS).split() if len(word) > 3))),
    ("H", _HOURS.split()),
    ("M", listed(MONTHS)),
    ("O", listed(ORDINALS)),
)

# ---- Words as one character that says what they are

_MEANT: dict[str, str] = {}  # "W" a number, "S" a scale, "F" a fraction, "U" a unit, and so on
for _letter, _words in _LISTED:
    for _word in dict.fromkeys(_words):
        _as_written = _letter in "UH" and len(_word) < 4  # "m" is a unit and "M" is none
        _key = _word if _as_written else _word.casefold()
        _MEANT[_key] = _MEANT.get(_key, "").replace(_letter, "") + _letter
_FIRST_CODE = 0xE000  # for private use, so in no text
_CODES_OF = {
    kinds: chr(_FIRST_CODE + n) for n, kinds in enumerate(sorted(set(_MEANT.values()) | {"W"}))
}
_CODED = {word: _CODES_OF[kinds] for word, kinds in _MEANT.items()}


def _coded_as(letters: str) -> str:
    """The characters that stand for words of these kinds."""
    return "".join(code for kinds, code in _CODES_OF.items() if set(letters) & set(kinds))


# Not "cent" of "per cent", "m" of "a.m.", nor what a figure is glued to from behind.
_CODABLE = regex.compile(
    r"(?<![\p{L}\p{M}])(?<!\b(?i:per|pour|por|pro)[\s-])(?<!\b[ap]\.?\s?)"
    r"[[\p{L}\p{M}]--\p{Han}]++(?!\p{N})",
    regex.VERSION1,
)


def _coded(text: str) -> str:
    """A text in which each word of a number is one character."""

    def code(match: regex.Match[str]) -> str:
        word = match[0]
        known = _CODED.get(word) or _CODED.get(word.casefold())
        if known:
            return known
        return _CODES_OF["W"] if _is_compound(word) else word

    return _CODABLE.sub(code, text)


def _is_compound(word: str) -> bool:
    """Whether a word is a number of several: zweihundertfünfzig, dreieinhalb."""
    folded = fold(word)
    return folded.endswith("einhalb") or (len(folded) > 7 and compound(folded) is not None)


_NUMBER_WORD = f"[{_coded_as('WS')}]"
_W, _F, _U, _M = (f"[{_coded_as(kind)}]" for kind in "WFUM")
_UNIT = rf"(?:{_U}(?:/{_U}|[²³])?)"
_SCALE = rf"(?:[{_coded_as('S')}]|(?:[TkM]|Md)€)"
_WORD_END = r"(?![[\p{L}\p{M}\p{N}]--\p{Han}])"
# Ends of a text and beginnings of one that are of a number.
_ENDS = rf"(?:{_FIG}|{_NUMBER_WORD})$"
_MEASURED_END = rf"(?:{_FIG}\s?(?:[%‰°€$£]|°C|{_UNIT})?|{_NUMBER_WORD})$"
_BEGINS = rf"(?:{_MONEY}\s?|[-−+]\s?)?(?:{_FIG}|{_NUMBER_WORD}{_WORD_END})"
_JOINERS = r"[.,:‚˙＇′'’ʼ‘´`/\\⁄∕·٫٬，．：_*×÷^~〜～+=\p{Pd}−⁻⁺±&#]"
_TO = r"to|till|until|through|thru|or|bis|oder|à|ou|a|al|o|y|до|или|至|到|或|out\s+of|of|von|sur|de|auf|vs\.?|versus|mal|x|per|pro|par|por"
_BETWEEN = r"(?i:between|zwischen|entre|from|von|vom|de|desde)"
_MORE = (
    r"(?i:\bthan|\bat\s+(?:least|most)|\bup\s+to|\bunder|\bover|\babove|\bbelow|\bexceed(?:s|ing)?|\bmax\.|\bmin\.|\balmost|\bnearly|\bnot\s+quite|\bin\s+excess\s+of|\bupwards\s+of|\bbeyond"
    r"|\bab|\bbis|\bfast|\bknapp|\b(?:à|a)\s+partir\s+de|\bau\s+(?:maximum|minimum)|\bpresque|\bun\s+m[áí]ximo\s+de"
    r"|\bal\s+massimo|\balmeno|\bmeno\s+di|最高|最低|将近|接近"
    r"|\bmaximum(?:\s+of)?|\bminimum(?:\s+of)?|\bmindestens|\bhöchstens|\bmaximal|\bminimal"
    r"|\bbis\s+zu|\bunter|\büber|\b(?:weniger|mehr|kleiner|größer|länger|kürzer)\s+als|\bzirka\s+unter"
    r"|\bau\s+(?:moins|plus)|\b(?:moins|plus|près)\s+de|\bjusqu['’]à|\bal\s+menos|\bpor\s+lo\s+menos"
    r"|\bcomo\s+(?:máximo|mínimo)|\b(?:menos|más)\s+de|\bhasta|至少|至多|最多|最少|不超过|超过|不足"
    r"|不到|少于|多于|低于|高于|大于|小于)"
)

# A figure and the words that say of what: "5 EUR", "3 working days", "the 3rd", "5月1日".
_ANY = "".join(_CODES_OF.values())
_QUANTITY_END = rf"(?:{_FIG}(?:st|nd|rd|th|er|[ºª.])?|{_NUMBER_WORD})(?:\s?(?:[%‰°€$£]|°C))?(?:\s?[\p{{L}}{_ANY}]+\.?){{0,2}}"
_RANGE = rf"(?:{_DASH}\s|[~〜～至到]|(?i:to|until|till|through|bis|à|aux?|al?|hasta)\s+(?i:(?:the|el|le|zum)\s+)?)"
_DATED = rf"(?:\p{{Lu}}\p{{L}}+\.?\s)?{_BEGINS}"
_ORDINAL = f"[{_coded_as('O')}]"

# A number that both of a pair find their part of runs over the place between them. The first may
# stand over white space, the second only where there is none.
_OVER_SPACE: tuple[tuple[str, str], ...] = (
    # signs and what is read with them; a dash that is glued to a letter is none
    (r"(?<![[\p{L}\p{N}]--\p{Han}])[−﹣－±+∓]$", _BEGINS),
    (rf"(?<![[\p{{L}}\p{{N}}]--\p{{Han}}]){_DASH}$", rf"(?:{_MONEY}\s*)?{_FIG}"),
    (rf"[−±+\p{{Pd}}]\s*{_MONEY}$", _FIG),
    (r"(?i:\b(?:minus|moins|menos|negative|negativ|plus)|负|負|零下|正负)$", _BEGINS),
    (r"[<>≤≥≪≫±√≠≈∼~]=?$", rf"(?:{_MONEY}\s*)?{_FIG}"),
    # money, shares, scales, units
    (rf"{_MONEY}$", rf"[.,]?{_FIG}"),
    (_ENDS, rf"(?:{_MONEY})"),
    (_ENDS, r"(?:[%٪％﹪‰‱°′″]|(?i:per\s?cent|per\s?mille?|prozent\p{L}*|promille|pour\s?(?:cent|mille)|por\s?(?:ciento|mil)|процент\p{L}*|yüzde|phần trăm)\b)"),
    (rf"(?:\p{{N}}|{_NUMBER_WORD})\.?$", rf"(?:{_SCALE}|(?i:Mio|Mrd)\.)"),
    (_ENDS, rf"(?:{_UNIT}|°[CF]?){_WORD_END}"),
    (_ENDS, r"(?i:[ap]\.?\s?m\b\.?|Uhr\b|o['’]clock|BCE?\b|B\.\s?C|CE\b|A\.?D\b|v\.\s?Chr|n\.\s?Chr|av\.\s?J|apr\.\s?J|a\.\s?C|d\.\s?C|до н)"),
    (rf"(?i:(?:{_F}|\bhalbe?n?)(?:\s+an?)?)$", _SCALE),
    # powers, products, ratios
    (r"\p{N}$", r"[×xX*·÷/^]\s*[-−⁻]?\p{N}"),
    (r"\p{N}\s*[×xX*·÷/^]$", r"\p{N}"),
    # ranges and parts
    (_MEASURED_END, rf"(?:{_DASH}|[~〜～…/:]|\.\.\.?|(?i:{_TO})\s)\s*{_BEGINS}"),
    (rf"(?:{_FIG}|{_NUMBER_WORD})\s?(?:[%°€$£]|{_UNIT})?\s*(?:{_DASH}|[~〜～…/:]|\.\.\.?|\s(?i:{_TO}))$",
     _BEGINS),
    (_MEASURED_END, rf"[至到或]\s*{_FIG}"),
    (rf"{_FIG}\s*[至到或]$", _FIG),
    (rf"{_QUANTITY_END}$", rf"{_RANGE}\s*{_DATED}"),
    (rf"{_QUANTITY_END}\s*{_RANGE.replace('s+', 's*')}$", _DATED),
    (rf"{_QUANTITY_END}\s*(?i:to|until|till|through|bis|à|aux?|al?|hasta)$", _DATED),
    # bounds and signs that stand behind
    (rf"{_QUANTITY_END}$",
     (r"(?i:(?:or|and|oder|und|ou|et|o|y)\s+(?:more|less|fewer|above|over|below|under|older|younger|later|earlier|mehr|weniger|darüber|plus|moins|más|menos)"
     r"|at\s+(?:the\s+)?(?:most|least)|maximum|minimum|max\.|min\.|höchstens|mindestens|au\s+(?:maximum|minimum|moins|plus)"
     r"|como\s+(?:máximo|mínimo))\b|以[上下内內外]|起|左右")),
    (rf"{_QUANTITY_END}$",
     r"(?i:(?:below|unter|bajo|sous)\s+(?:zéro|" + _W + r")|au-dessous|before\s+Christ|vor\s+Christus|avant\s+J|antes\s+de\s+Cristo)"),
    (r"\p{N}$", r"(?:DR|CR|S|H|M|MM|B|K|Cr)(?![\p{L}\p{N}])"),
    (r"(?:公元前|[△▲¬⁻]|&minus;|\./\.|(?i:\babzüglich|\bless))$", _BEGINS),
    (r"\p{N}(?:&nbsp;)?$", r"&nbsp;\p{N}|\p{N}"),
    (r"\p{N}&nbsp;$", r"\p{N}"),
    # times and terms of two units
    (r"\p{N}\s?[" + _coded_as("H") + r"]$", r"\p{N}{1,2}(?!\p{N})"),
    (rf"(?:\p{{N}}|{_NUMBER_WORD})\s?{_UNIT}$",
     rf"(?:,\s*|(?i:and|und|et|y)\s+)?(?:\p{{N}}+|{_NUMBER_WORD})\s?(?:{_UNIT}|in){_WORD_END}"),
    (rf"{_QUANTITY_END}$", rf"(?i:moins)\s+(?:(?i:le)\s+)?(?:{_FIG}|(?:{_F}|{_W}))"),
    (rf"(?i:\bhalb|{_F}\s+(?:vor|nach|past|to))$", _BEGINS),
    (rf"{_NUMBER_WORD}[\s-]*$", rf"{_ORDINAL}{_WORD_END}"),
    (r"\p{N}$", r"(?:(?i:and)\s+)?\p{N}+[/⁄]\p{N}"),
    # broken behind its point or dash
    (r"(?<!\p{N})\p{N}{1,3}$", r"[.,'’]\s*\n\s*\p{N}{3}(?!\p{N})"),
    (r"\p{N}$", r"[-‐‑–−/:]\s*\n\s*\p{N}"),
    (rf"{_BETWEEN}\s[^.;]{{0,24}}?(?:\p{{N}}|{_NUMBER_WORD})(?:\s?[%°€$£\p{{L}}{_ANY}]+)?$",
     rf"(?i:and|und|et|y)\s+{_BEGINS}"),
    (rf"{_BETWEEN}\s[^.;]{{0,24}}?(?:\p{{N}}|{_NUMBER_WORD})(?:\s?[%°€$£\p{{L}}{_ANY}]+)?\s(?i:and|und|et|y)$",
     _BEGINS),
    (_ENDS, r"(?i:in|auf|sur|en)\s+(?:\p{N}{1,3}(?![\p{N}.])|" + _W + rf"{_WORD_END})"),
    (rf"(?:\p{{N}}|{_NUMBER_WORD})\s(?i:in|auf|sur|en)$",
     r"(?:\p{N}{1,3}(?![\p{N}.])|" + _W + rf"{_WORD_END})"),
    (rf"{_MORE}$", rf"(?i:an?\s)?{_BEGINS}|[{_HAN}]"),
    (_ENDS, r"(?i:or|oder|ou|o)\s+(?i:more|less|fewer|older|younger|later|earlier|mehr|weniger|plus|moins|más|menos)\b|[多余餘几幾]|以[上下内內外]"),
    # number words and mixed numbers
    (rf"{_NUMBER_WORD}$", rf"(?:[-‐‑]\s*|(?i:and|und|et|y)\s+)?{_NUMBER_WORD}{_WORD_END}"),
    (rf"{_NUMBER_WORD}(?:\s*[-‐‑]|\s(?i:and|und|et|y))$", rf"{_W}{_WORD_END}"),
    (rf"(?:\p{{N}}|{_NUMBER_WORD})$", rf"(?i:point|komma|virgule|coma|punto)\s+{_BEGINS}"),
    (rf"(?:\p{{N}}|{_NUMBER_WORD})\s(?i:point|komma|virgule|coma|punto)$", _BEGINS),
    (rf"(?:\p{{N}}|{_NUMBER_WORD})(?:\s[\p{{L}}{_ANY}]+)?$",
     rf"(?i:and|und|et|y)\s+(?:(?i:an?|{_W}|eine?n?|une?)\s+)?(?:{_F}|(?i:halb)\p{{L}}*){_WORD_END}"),
    (rf"(?:{_NUMBER_WORD}|\beine?)\s*[-‐‑]?$", rf"{_F}{_WORD_END}"),
    (rf"(?<!\p{{L}})(?:(?i:an?|eine?n?|une?)|{_W})\s+{_F}$", r"(?i:a|an)?\s*" + _SCALE),
    # identifiers in groups
    (r"(?<![\p{Ll}])[\p{Lu}]*\p{N}[\p{Lu}\p{N}]*$", r"[\p{Lu}]{0,4}\p{N}"),
    (r"(?<![\p{L}])\p{Lu}{2,4}$", r"\p{N}"),
    (r"\p{N}$", r"\p{Lu}{1,4}\s\p{N}"),
    (r"\(\+?\p{N}+\)$", r"\p{N}"),
    # 2 h 30 min
    (rf"\p{{N}}\s?(?:{_UNIT}|[°′'’])$",
     rf"(?:(?i:and|und|et|y)\s+)?\p{{N}}+(?:[.,]\p{{N}}+)?\s?(?:{_UNIT}{_WORD_END}|[′″\"'])"),
    (rf"\p{{N}}\s?(?:{_UNIT}|[°′'’])\s(?i:and|und|et|y)$", rf"\p{{N}}+\s?{_UNIT}{_WORD_END}"),
    # dates in words
    (r"\p{N}(?:st|nd|rd|th|er|[.ºª])?(?:\s(?:of|de|d['’]))?$", _M),
    (rf"\p{{N}}(?:st|nd|rd|th|er|[.ºª])?\s(?:(?:of|de)\s)?{_M}[.,]?(?:\sde[l]?)?$", r"(?:del?\s)?\p{N}"),
    # a day or a year, and no amount: "im Mai 230 516,4 Kronen"
    (rf"{_M}\.?$", r"(?:\p{N}{1,2}(?!\p{N})(?![\s.,'’]\p{N}{3}(?!\p{N}))|\p{N}{4}(?!\p{N}))"),
    (rf"{_M}\.?\s\p{{N}}{{1,2}}(?:st|nd|rd|th)?,?$", r",?\s?\p{N}{4}(?!\p{N})"),
    # what a share is of, and what a sign or an abbreviation is before
    (rf"(?:{_FIG}|{_NUMBER_WORD})\s?(?i:per|pour|por|pro|par)$", rf"\p{{L}}{{3}}|[{_ANY}]"),
    (r"(?:[§#№]|\b(?i:n[°º]|nrs?\.?|no\.|num\.|abs\.|art\.|ziff\.|para\.|sec\.|kap\.)|\b(?:Q|FY|v))\s?$", r"\p{N}"),
    (rf"(?<!\p{{L}})(?:{_CODES})$", r"\.\s?\p{N}"),
    (r"\p{N}$", r"(?:Abs|Art|Satz|Nr|Ziff|lit|al|para)\b\.?\s?\p{N}"),
    (r"(?<!\p{L})(?:an?|une?|eine?)$", _F),
    (rf"{_F}$", r"(?:of|des?|der|von|vor|nach|past|to)\s"),
    (rf"(?i:doppelte[ns]?|dreifache[ns]?|double|doble|triple|twice|{_F})(?:\s(?:of|von|de|des|der))?$", _BEGINS),
    (r"[½⅓¼¾⅔⅛⅜⅝⅞]$", r"\p{L}"),
    (rf"{_UNIT}$", rf"/\s?{_U}"),
    (rf"{_U}/$", _U),
    (rf"{_NUMBER_WORD}$", r"(?i:et|und|y|and)[\s-]+(?i:une?|uno?|eine?)\b"),
    (rf"{_UNIT}\s(?i:moins|menos)$", rf"(?:le\s)?(?:{_F}|{_W}|\p{{N}})"),
    (r"\b(?i:at|au|al|lo|up|como|más|pas|por|in)$",
     rf"(?i:least|most|moins|plus|menos|más|máximo|mínimo|to|maximum|minimum|excess\sof)\s(?:de\s|of\s)?{_BEGINS}"),
    (rf"(?:{_SCALE})\.?$", rf"{_U}|{_MONEY}"),
    (rf"{_UNIT}\s(?i:et|and|und|y)$", rf"{_F}|{_W}|\p{{N}}"),
    (rf"(?:{_SCALE})$", rf"\.\s?(?:{_U}|{_MONEY})|d['’]"),
    (rf"(?:{_SCALE})\sd['’]$", _U),
    (rf"{_NUMBER_WORD}\s(?i:et|und|y|and)\s(?i:une?|uno?)$", _U),
    (rf"{_NUMBER_WORD}\s(?i:et|y)$", r"(?i:une?|uno?)\b"),
    (r"\p{N}(?:st|nd|rd|th|er)$", rf"(?:of|de)\s{_M}"),
    (r"\b(?i:nr|no|abs|art|rs|ziff|num)$", r"\.\s?\p{N}"),
    (rf"{_UNIT}\.$", r"\p{N}{1,2}(?![\p{N}.)])"),
    (r"°$", r"[CF]\b"),
    (r"\b[ap]$", r"\.\s?m\b"),
    (rf"{_UNIT}$", r"\.\s?\p{N}{1,2}(?![\p{N}.)])"),
    (rf"{_W}\s(?i:et|and|y)$", rf"(?i:an?|une?)\s{_F}"),
    (rf"{_F}$", _U),
    (rf"{_FIG}元$", r"整"),
    # Chinese: a numeral and its measure, a bound, a part of the day
    (r"[二三四五六七八九半两几十百千万亿余]$", r"[年月日号天个點点时時分秒米度块塊吨人次名位家条章节倍里斤公折岁成周层台辆件元角]"),
    (r"一$", r"[年个天次月日元米岁度周点]"),
    (rf"{_FIG}(?:[个公千毫平立余多几]|平方|立方)$", r"\p{Han}"),
    (r"[不至最]$", r"[超少多过高低足到]"),
    (r"(?:不?超|不[少多低高])$", r"[过于]"),
    (rf"{_FIG}\p{{Han}}{{0,2}}以$", r"[上下内外內]"),
    (r"[上下]$", rf"午{_FIG}"),
    (r"人$", rf"民币\s?{_FIG}"),
    (r"(?:人民币|[上下]午)$", _FIG),
    (r"人民$", rf"币\s?{_FIG}"),
    # Chinese numerals
    (rf"[{_HAN}\p{{Nd}}][点點]?$", rf"[{_HAN_SCALE}点點]"),
    (rf"[{_HAN}]$", rf"[点點]?[{_HAN}]"),
    (rf"[{_HAN}][点點]$|[{_HAN_SCALE}第负負]$|分之?$", rf"[{_HAN}\p{{Nd}}]"),
    (rf"[{_HAN}\p{{Nd}}]$", r"分之"),
    (rf"[{_HAN}]分$", r"之"),
    (rf"(?:\p{{Nd}}|[{_HAN}]{{2}})$", r"[元年月日号天个個点點时時分秒米度块塊吨人次名位家条章节倍]|公[里斤尺顷]|[千毫]|小时"),
)  # fmt: skip
_GLUED: tuple[tuple[str, str], ...] = (
    (r"\p{N}[eE]$", rf"(?:{_DASH}|\+)?\p{{N}}"),
    (rf"\p{{N}}[eE](?:{_DASH}|\+)$", r"\p{N}"),
    (r"\p{L}$", r"[-‐‑–−/_]\p{N}"),
    (r"\p{N}/$", _DASH),
    (r"(?<!\p{L})\p{Lu}{1,4}$", r"[.,]\p{N}"),
    (r"(?<!\p{L})\p{Lu}{1,4}[.,]$", r"\p{N}"),
    (r"\bn$", r"[°º]"),
    (rf"{_FIG}(?:[元年月日号點点时時]|小时|个月)$", rf"{_FIG}|半"),
    (rf"(?:\p{{Nd}}|[{_HAN}]{{2}})$", r"[\p{Han}--[的和与及在是为了]]"),
    (r"\p{N}$", rf"{_JOINERS}{{1,2}}\p{{N}}"),
    (rf"\p{{N}}{_JOINERS}{{1,2}}$", r"\p{N}"),
    (r"[.,٫·]$", r"\p{N}"),
    (r"[\p{L}\p{N}][-‐‑–−/_]$", r"\p{N}"),
    (r"\p{N}$", rf"[-‐‑–−/_][\p{{L}}\p{{N}}{_ANY}]"),
    (r"\p{N}$", r"[-‐‑–−+](?![\p{L}\p{N}*])"),
    (r"\p{N}[-‐‑–−/_]$", rf"[\p{{L}}\p{{N}}{_ANY}]"),
    (rf"\p{{N}}\s?(?:{_MONEY}|[%‰])$", r"[-−][^\S\n]*\n"),
)
_BRACKETED = rf"(?:{_MONEY}\s?)?{_FIG}[{_FIG[1:-1]}.,'’\s]*(?:[%‰]|\s?{_MONEY}|\s?{_SCALE})?\s*"
_OVER_SPACE += (
    # A minus behind an amount, at the end of its line or cell. Behind a year it is a dash, as where
    # a sentence goes on below.
    (
        rf"\p{{N}}(?<!\b(?:1\p{{N}}|20)\p{{N}}\p{{N}})$|\p{{N}}\s?(?:{_MONEY}|[%‰])$",
        r"[-−][^\S\n]*(?:$|[|]|\n(?!\s*\p{Ll}))|\([-−–]\)",
    ),
    (r"\($", rf"{_BRACKETED}\)"),
    (rf"\(\s*(?:{_MONEY}\s?)?{_FIG}[{_FIG[1:-1]}.,'’\s]*$", r"(?:[%‰])?\s*\)"),
    (r"\(\s*(?:\p{Sc})$", rf"{_BRACKETED}\)"),
)

_FLAGS = regex.VERSION1
_PAIRS = tuple(
    (left, right, glued)
    for glued, pairs in ((False, _OVER_SPACE), (True, _GLUED))
    for left, right in pairs
)


@cache
def _pattern(source: str) -> regex.Pattern[str]:
    """A pattern, compiled when it is first needed: all of them take most of half a second."""
    return regex.compile(source, _FLAGS)


_OF_A_NUMBER = regex.compile(rf"[\p{{N}}{_HAN}半几{_coded_as('WSF')}]")
# Ends of sentences that no number runs over; a plain full stop is one before a word with a capital.
_STOPPED = regex.compile(r"[。！？；]$")
_STOPS = regex.compile(r"[。！？；]|[.!?]\s+\p{Lu}\p{Ll}")
_NEXT_SENTENCE = regex.compile(r"\p{Lu}\p{Ll}")
_BULLET = regex.compile(r"(?:^|\n)[^\S\n]*[-–—•*+][^\S\n]+$")
_LABEL = regex.compile(r"(?:^|\n)[^\S\n]*(?:§\s?)?\p{N}{1,3}\.(?:\p{N}{1,3}\.?)*[^\S\n]+$")
_LABELLED = regex.compile(rf"(?!Uhr\b)(?:\p{{Lu}}\p{{Ll}}|[{_coded_as('WO')}])")
_BULLET_BEFORE = regex.compile(r"[-–—•*+]\s|.*[.:;,!?)]$")
_NUMBER_END, _NUMBER_START = regex.compile(r"\p{N}$"), regex.compile(r"\p{N}")
_GROUP_END = regex.compile(r"(?<![\p{N}.,'’-])\p{N}{1,3}(?:[^\S\n]\p{N}{3})*$")
_BROKEN_END = regex.compile(r"(?<!\p{N})\p{N}{1,3}(?:[.,'’]\p{N}{3})*[.,'’]$|\p{N}[-‐‑–−/:]$")
_GROUP_START = regex.compile(r"\p{N}{3}(?!\p{N})")
_ITEM = regex.compile(r"\p{N}{1,2}[.)]\s")
_FIGURE = regex.compile(r"(?<!\S)[^\w\s]*\p{N}\S*")


def runs_over(before: str, after: str) -> bool:
    """Whether a number as it is written runs over the place between two texts of one paragraph."""
    before, after = before[-REACH:], after[:REACH]
    left, right = before.rstrip(), after.lstrip()
    gap = before[len(left) :] + after[: len(after) - len(right)]
    if not left or not right or _begins_item(before, left, right):
        return False
    if "\n" in gap and _BROKEN_END.search(left) and _GROUP_START.match(right):
        return True
    if _NUMBER_END.search(left) and _NUMBER_START.match(right):
        return _over_line_end(left, right) if "\n" in gap else True
    left, right = _coded(left), _coded(right)
    if not _OF_A_NUMBER.search(left[-NEAR:] + right[:NEAR]):
        return False
    if _STOPPED.search(left) or _STOPS.match(right):
        return False
    if gap and left[-1] in ".!?" and _NEXT_SENTENCE.match(right):
        return False
    return any(
        not (glued and gap) and _pattern(ends).search(left) and _pattern(begins).match(right)
        for ends, begins, glued in _PAIRS
    )


def _begins_item(before: str, left: str, right: str) -> bool:
    """Whether the text before ends in the bullet or number of an item, and not in a sign."""
    if _LABEL.search(before) and _LABELLED.match(_coded(right)):
        return True
    if not _BULLET.search(before):
        return False
    lines = left[:-1].rstrip().split("\n")
    return not lines[-1].strip() or bool(_BULLET_BEFORE.match(lines[-1].strip()))


def _over_line_end(left: str, right: str) -> bool:
    """Whether figures that end a line may be of one number with those that begin the next.

    Not where the next line is an item of a list, nor in the rows of a table, unless the figures
    could be groups of one number.
    """
    if _GROUP_END.search(left) and _GROUP_START.match(right):
        return True
    above, below = left.rpartition("\n")[2], right.partition("\n")[0]
    rows = all(len(_FIGURE.findall(line)) >= 2 for line in (above, below))
    return not rows and not _ITEM.match(right)
