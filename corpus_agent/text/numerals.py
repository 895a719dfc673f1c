# ruff: noqa: E501 - a pattern that is broken over lines is harder to read than a long one
"""Whether a number goes on past a place in a text: what a quotation must not cut in two.

Knows how numbers are written: groups and decimals, signs and brackets, fractions and exponents,
ranges, identifiers, units, number words, Chinese numerals. Generous on purpose: what may be part of
a number is. Reads no values, that is numbers.py. Pure; called by quotations.py.
"""

from __future__ import annotations

from functools import cache

import regex

REACH = 60  # characters on either side that are looked at

_HAN = "〇零一二三四五六七八九十百千万亿兆萬億壹贰叁肆伍陆柒捌玖拾佰仟两兩廿卅"
_HAN_SCALE = "百千万亿兆萬億"
_FIG = rf"[\p{{N}}{_HAN}]"
_DASH = r"[\p{Pd}−⁃]"
_CODES = "EUR|USD|GBP|CHF|JPY|CNY|RMB|INR|SEK|NOK|DKK|PLN|CAD|AUD|Rs|kr"
_MONEY = rf"(?:(?:US|A|C|HK)?\p{{Sc}}|(?<!\p{{Ll}})(?:{_CODES})\.?(?![\p{{L}}--\p{{Han}}]))"
_WORDS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety "
    "half zero zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn "
    "fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig dreißig vierzig fünfzig sechzig siebzig "
    "achtzig neunzig null deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze "
    "quinze seize vingt vingts trente quarante cinquante soixante dos tres cuatro cinco seis siete "
    "ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve "
    "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien ciento doscientos "
    "trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos cents"
)
_SCALES = (
    "hundred hundreds thousand thousands million millions billion billions trillion trillions "
    "dozen dozens lakh lakhs crore crores mn bn tn Tausend Hundert Million Millionen Mio Milliarde "
    "Milliarden Mrd Billion Billionen Dutzend mille millions? millier milliers milliard milliards "
    "douzaine mil millón millones millardo millardos billón billones docena docenas тысяч тысячи "
    "миллион миллиона миллионов миллиард миллиарда миллиардов млн млрд тыс χιλιάδες εκατομμύρια "
    "εκατομμύριο δισεκατομμύρια δισεκατομμύριο bin milyon milyar trilyon ألف آلاف مليون ملايين "
    "Tsd T€ TEUR k€ M€ Md€ Md Mds Mill Bio thsd mln bln lacs milioni miliardi mila "
    "مليار हज़ार हजार लाख करोड़ मिलियन बिलियन nghìn ngàn triệu tỷ พัน หมื่น แสน ล้าน"
)
_FRACTIONS = (
    "half halves third thirds quarter quarters fifth fifths sixth sixths eighth eighths tenth "
    "tenths hundredth hundredths Hälfte Drittel Viertel Fünftel Sechstel Achtel Zehntel Hundertstel "
    "tiers quart quarts cinquième cinquièmes dixième dixièmes demi demie tercio tercios cuarto "
    "cuartos fourth fourths seventh sevenths ninth ninths eleventh elevenths twelfth twelfths quinto quintos décimo décimos décima décimas medio media"
)
_UNITS = (
    "mm cm dm km m kg g mg µg t l ml cl hl s ms min h hr hrs W kW MW GW kWh MWh Wh V kV mA Hz kHz "
    "MHz GHz kB KB MB GB TB Pa kPa hPa psi ft lb lbs oz mol dB px mph km/h m/s m² m³ km² cm² cm³ "
    "seconds? minutes? hours? days? weeks? months? years? centimet\\p{L}+ millimet\\p{L}+ met\\p{L}{2} "
    "met\\p{L}{2}s kilomet\\p{L}+ kilograms? grams? lit\\p{L}{2}s? miles? feet inches degrees? euros? "
    "dollars? pounds? cents Sekunden? Minuten? Stunden? Std Tagen? Tage? Wochen? Monate?n? Jahre?n? "
    "Gramm Kilogramm Liter Metern? Kilometern? Grad Franken Cent secondes? heures? jours? semaines? "
    "mois ans années? grammes? kilos? mètres? kilomètres? litres? degrés? segundos? minutos? horas? "
    "días? semanas? mes meses años? gramos? kilogramos? metros? kilómetros? litros? grados? pesos? "
    "Euro yen rupees? Rappen Kč zł francs? bar kbar mbar ppm mcg IU times fold tonnes? persons? Werktagen? heure"
)


def _any(words: str) -> str:
    return "|".join(sorted(set(words.split()), key=len, reverse=True))


_NUMBER_WORD = rf"(?<![\p{{L}}\p{{M}}])(?i:{_any(_WORDS)}|{_any(_SCALES)})"
_SCALE = rf"(?i:{_any(_SCALES)})(?![\p{{L}}\p{{M}}])"
_WORD_END = r"(?![[\p{L}\p{M}\p{N}]--\p{Han}])"
# Ends of a text and beginnings of one that are of a number.
_ENDS = rf"(?:{_FIG}|{_NUMBER_WORD})$"
_MEASURED_END = rf"(?:{_FIG}\s?(?:[%‰°€$£]|°C|(?:{_any(_UNITS)}))?|{_NUMBER_WORD})$"
_BEGINS = rf"(?:{_MONEY}\s?|[-−+]\s?)?(?:{_FIG}|(?i:{_any(_WORDS)}|{_any(_SCALES)}){_WORD_END})"
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
_QUANTITY_END = rf"(?:{_FIG}(?:st|nd|rd|th|er|[ºª.])?|{_NUMBER_WORD})(?:\s?(?:[%‰°€$£]|°C))?(?:\s?\p{{L}}+\.?){{0,2}}"
_RANGE = rf"(?:{_DASH}\s|[~〜～至到]|(?i:to|until|till|through|bis|à|aux?|al?|hasta)\s+(?i:(?:the|el|le|zum)\s+)?)"
_DATED = rf"(?:\p{{Lu}}\p{{L}}+\.?\s)?{_BEGINS}"
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth erste ersten premier primero"
)

# A number that both of a pair find their part of runs over the place between them. The first may
# stand over white space, the second only where there is none.
_OVER_SPACE: tuple[tuple[str, str], ...] = (
    # signs and what is read with them; a dash that is glued to a letter is none
    (r"(?<![[\p{L}\p{N}]--\p{Han}])[−﹣－±+∓]$", _BEGINS),
    (rf"(?<![[\p{{L}}\p{{N}}]--\p{{Han}}]){_DASH}$", rf"(?:{_MONEY}\s*)?{_FIG}"),
    (rf"[−±+\p{{Pd}}]\s*{_MONEY}$", _FIG),
    (r"(?i:\b(?:minus|moins|menos|negative|negativ|plus|below\s+zero)|负|負|零下|正负)$", _BEGINS),
    (r"[<>≤≥≪≫±√≠≈∼~]=?$", rf"(?:{_MONEY}\s*)?{_FIG}"),
    # money, shares, scales, units
    (rf"{_MONEY}$", rf"[.,]?{_FIG}"),
    (_ENDS, rf"(?:{_MONEY})"),
    (_ENDS, r"(?:[%٪％﹪‰‱°′″]|(?i:per\s?cent|per\s?mille?|prozent\p{L}*|promille|pour\s?(?:cent|mille)|por\s?(?:ciento|mil)|процент\p{L}*|yüzde|phần trăm)\b)"),
    (rf"(?:\p{{N}}|{_NUMBER_WORD})\.?$", rf"(?:{_SCALE}|(?i:Mio|Mrd)\.)"),
    (_ENDS, rf"(?:{_any(_UNITS)}|°[CF]?){_WORD_END}"),
    (_ENDS, r"(?i:[ap]\.?\s?m\b\.?|Uhr\b|o['’]clock|BCE?\b|B\.\s?C|CE\b|A\.?D\b|v\.\s?Chr|n\.\s?Chr|av\.\s?J|apr\.\s?J|a\.\s?C|d\.\s?C|до н)"),
    (r"(?i:\b(?:half|halbe?n?|demi|medio|media)(?:\s+an?)?)$", _SCALE),
    # powers, products, ratios
    (r"\p{N}$", r"[×xX*·÷/^]\s*[-−⁻]?\p{N}"),
    (r"\p{N}\s*[×xX*·÷/^]$", r"\p{N}"),
    # ranges and parts
    (_MEASURED_END, rf"(?:{_DASH}|[~〜～…/:]|\.\.\.?|(?i:{_TO})\s)\s*{_BEGINS}"),
    (rf"(?:{_FIG}|{_NUMBER_WORD})\s?(?:[%°€$£]|{_any(_UNITS)})?\s*(?:{_DASH}|[~〜～…/:]|\.\.\.?|\s(?i:{_TO}))$",
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
     r"(?i:below\s+zero|unter\s+null|bajo\s+cero|sous\s+zéro|au-dessous|before\s+Christ|vor\s+Christus|avant\s+J|antes\s+de\s+Cristo)"),
    (r"\p{N}$", r"(?:DR|CR|S|H|M|MM|B|K|Cr)(?![\p{L}\p{N}])"),
    (r"(?:公元前|[△▲¬⁻]|&minus;|\./\.|(?i:\babzüglich|\bless))$", _BEGINS),
    (r"\p{N}(?:&nbsp;)?$", r"&nbsp;\p{N}|\p{N}"),
    (r"\p{N}&nbsp;$", r"\p{N}"),
    # times and terms of two units
    (r"\p{N}\s?(?:h|Uhr|heures?|ft)$", r"\p{N}{1,2}(?!\p{N})"),
    (rf"(?:\p{{N}}|{_NUMBER_WORD})\s?(?:{_any(_UNITS)})$",
     rf"(?:,\s*|(?i:and|und|et|y)\s+)?(?:\p{{N}}+|{_NUMBER_WORD})\s?(?:{_any(_UNITS)}|in){_WORD_END}"),
    (rf"{_QUANTITY_END}$", rf"(?i:moins)\s+(?:(?i:le)\s+)?(?:{_FIG}|(?i:quart|{_any(_WORDS)}))"),
    (r"(?i:\bhalb|\bViertel\s+(?:vor|nach)|\b(?:half|quarter)\s+(?:past|to))$", _BEGINS),
    (rf"{_NUMBER_WORD}[\s-]*$", rf"(?i:{_any(_ORDINALS)}){_WORD_END}"),
    (r"\p{N}$", r"(?:(?i:and)\s+)?\p{N}+[/⁄]\p{N}"),
    # broken behind its point or dash
    (r"(?<!\p{N})\p{N}{1,3}$", r"[.,'’]\s*\n\s*\p{N}{3}(?!\p{N})"),
    (r"\p{N}$", r"[-‐‑–−/:]\s*\n\s*\p{N}"),
    (rf"{_BETWEEN}\s[^.;]{{0,24}}?(?:\p{{N}}|{_NUMBER_WORD})(?:\s?[%°€$£\p{{L}}]+)?$",
     rf"(?i:and|und|et|y)\s+{_BEGINS}"),
    (rf"{_BETWEEN}\s[^.;]{{0,24}}?(?:\p{{N}}|{_NUMBER_WORD})(?:\s?[%°€$£\p{{L}}]+)?\s(?i:and|und|et|y)$",
     _BEGINS),
    (_ENDS, r"(?i:in|auf|sur|en)\s+(?:\p{N}{1,3}(?![\p{N}.])|(?i:" + _any(_WORDS) + rf"){_WORD_END})"),
    (rf"(?:\p{{N}}|{_NUMBER_WORD})\s(?i:in|auf|sur|en)$",
     r"(?:\p{N}{1,3}(?![\p{N}.])|(?i:" + _any(_WORDS) + rf"){_WORD_END})"),
    (rf"{_MORE}$", rf"(?i:an?\s)?{_BEGINS}|[{_HAN}]"),
    (_ENDS, r"(?i:or|oder|ou|o)\s+(?i:more|less|fewer|older|younger|later|earlier|mehr|weniger|plus|moins|más|menos)\b|[多余餘几幾]|以[上下内內外]"),
    # number words and mixed numbers
    (rf"{_NUMBER_WORD}$", rf"(?:[-‐‑]\s*|(?i:and|und|et|y)\s+)?(?:(?i:{_any(_WORDS)})|{_SCALE}){_WORD_END}"),
    (rf"{_NUMBER_WORD}(?:\s*[-‐‑]|\s(?i:and|und|et|y))$", rf"(?i:{_any(_WORDS)}){_WORD_END}"),
    (rf"(?:\p{{N}}|{_NUMBER_WORD})$", rf"(?i:point|komma|virgule|coma|punto)\s+{_BEGINS}"),
    (rf"(?:\p{{N}}|{_NUMBER_WORD})\s(?i:point|komma|virgule|coma|punto)$", _BEGINS),
    (rf"(?:\p{{N}}|{_NUMBER_WORD})(?:\s\p{{L}}+)?$",
     rf"(?i:and|und|et|y)\s+(?:(?i:an?|one|eine?n?|une?)\s+)?(?i:{_any(_FRACTIONS)}|halb\p{{L}}*){_WORD_END}"),
    (rf"(?:{_NUMBER_WORD}|\bone|\beine?)\s*[-‐‑]?$", rf"(?i:{_any(_FRACTIONS)}){_WORD_END}"),
    (r"(?<!\p{L})(?i:an?|one|eine?n?|une?)\s+(?i:half|quarter)$", r"(?i:a|an)?\s*" + _SCALE),
    # identifiers in groups
    (r"(?<![\p{Ll}])[\p{Lu}]*\p{N}[\p{Lu}\p{N}]*$", r"[\p{Lu}]{0,4}\p{N}"),
    (r"(?<![\p{L}])\p{Lu}{2,4}$", r"\p{N}"),
    (r"\p{N}$", r"\p{Lu}{1,4}\s\p{N}"),
    (r"\(\+?\p{N}+\)$", r"\p{N}"),
    # 2 h 30 min
    (rf"\p{{N}}\s?(?:{_any(_UNITS)}|[°′'’])$",
     rf"(?:(?i:and|und|et|y)\s+)?\p{{N}}+(?:[.,]\p{{N}}+)?\s?(?:(?:{_any(_UNITS)}){_WORD_END}|[′″\"'])"),
    (rf"\p{{N}}\s?(?:{_any(_UNITS)}|[°′'’])\s(?i:and|und|et|y)$", rf"\p{{N}}+\s?(?:{_any(_UNITS)}){_WORD_END}"),
    # Chinese numerals
    (rf"[{_HAN}\p{{Nd}}][点點]?$", rf"[{_HAN_SCALE}点點]"),
    (rf"[{_HAN}]$", rf"[点點]?[{_HAN}]"),
    (rf"[{_HAN}][点點]$|[{_HAN_SCALE}第负負]$|分之?$", rf"[{_HAN}\p{{Nd}}]"),
    (rf"[{_HAN}\p{{Nd}}]$", r"分之"),
    (rf"[{_HAN}]分$", r"之"),
    (rf"(?:\p{{Nd}}|[{_HAN}]{{2}})$", r"[元年月日号天个個点點时時分秒米度块塊吨人次名位家条章节倍]|公[里斤尺顷]|[千毫]|小时"),
)  # fmt: skip
_GLUED: tuple[tuple[str, str], ...] = (
    (rf"{_FIG}(?:[元年月日号點点时時]|小时|个月)$", rf"{_FIG}|半"),
    (rf"(?:\p{{Nd}}|[{_HAN}]{{2}})$", r"[\p{Han}--[的和与及在是为了]]"),
    (r"\p{N}$", rf"{_JOINERS}{{1,2}}\p{{N}}"),
    (rf"\p{{N}}{_JOINERS}{{1,2}}$", r"\p{N}"),
    (r"[.,٫·]$", r"\p{N}"),
    (r"[\p{L}\p{N}][-‐‑–−/_]$", r"\p{N}"),
    (r"\p{N}$", r"[-‐‑–−/_][\p{L}\p{N}]"),
    (r"\p{N}$", r"[-‐‑–−+](?![\p{L}\p{N}*])"),
    (r"\p{N}[-‐‑–−/_]$", r"[\p{L}\p{N}]"),
)
_BRACKETED = rf"(?:{_MONEY}\s?)?{_FIG}[{_FIG[1:-1]}.,'’\s]*(?:[%‰]|\s?{_MONEY}|\s?{_SCALE})?\s*"
_OVER_SPACE += (
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


_BULLET = regex.compile(r"(?:^|\n)[^\S\n]*[-–—•*+][^\S\n]+$")
_LABEL = regex.compile(r"(?:^|\n)[^\S\n]*(?:§\s?)?\p{N}{1,3}\.(?:\p{N}{1,3}\.?)*[^\S\n]+$")
_LABELLED = regex.compile(rf"(?!{_SCALE}|(?:Mio|Mrd))\p{{Lu}}\p{{Ll}}", regex.VERSION1)
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
    return any(
        not (glued and gap) and _pattern(ends).search(left) and _pattern(begins).match(right)
        for ends, begins, glued in _PAIRS
    )


def _begins_item(before: str, left: str, right: str) -> bool:
    """Whether the text before ends in the bullet or number of an item, and not in a sign."""
    if _LABEL.search(before) and _LABELLED.match(right):
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
