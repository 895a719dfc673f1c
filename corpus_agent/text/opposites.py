# ruff: noqa: E501 - a list of words that is broken over lines is harder to read than a long one
"""Words that cannot both be said of one thing: rose and fell, monthly and yearly, buyer and seller. Pure.

Knows commonest pairs in English, German, French, Spanish and Chinese, by word or by beginning. Tells
what a claim says in the place of what a text says; what that means is agreement.py's to judge.
"""

from __future__ import annotations

import regex

from corpus_agent.text.number_words import UNIT
from corpus_agent.text.tokens import fold

# Each line a group of words that exclude each other; "*" stands for any ending. A denial of one
# may say the other: "not open" is "closed".
_TURNING = (
    "increas* rise rises rose risen rising grew grow grows growing growth raised raises climb* erhoh* stieg* steig* gestiegen wuchs zugenommen augment* aument* subio sube 增加 上升 上涨 提高|decreas* fall falls fell fallen falling drop drops dropped declin* reduc* shrank sank sinkt gesunken fiel fielen fallt gefallen verringer* senkt* abgenommen diminu* baiss* disminu* bajo baja 减少 下降 下跌 降低",
    "maximum maximal* hochst* 最高 最大|minimum minimal* mindest* 最低 最小",
    "leaves departs leave depart departure departures abfahrt verlasst|arrives arrive arrival arrivals ankunft",
    "open opens opened geoffnet ouvert* abiert* 开放|closed closes closing geschlossen ferme* cerrad* 关闭",
    "includ* inklusive einschliesslich inclu* compris*|exclud* except excepting exklusive ausser ausgenommen sauf excepte salvo excepto",
    "profit* gewinn* benefice* ganancia* 利润|loss losses verlust* perte* perdida* 亏损",
    "gross brutto brut bruto|net netto neto",
    "accept* approv* angenommen genehmigt|reject* refus* declined abgelehnt",
)
# Others say another thing even where they are denied.
_EXCLUDING = (
    "northern north nord* nordlich*|southern south sud*|eastern east ost ostlich*|western west westlich*",
    "buyer* purchaser* kaufer* acheteur* comprador* 买方|seller* vendor* verkaufer* vendeur* vendedor* 卖方",
    "tenant* lessee* mieter* locataire* inquilino* arrendatario* 租户 承租人|landlord* lessor* vermieter* bailleur* arrendador* 房东 出租人",
    "employer* arbeitgeber* employeur* empleador* 雇主|employee* arbeitnehmer* employe* empleado* 雇员",
    "lender* creditor* glaubiger* creancier* acreedor*|borrower* debtor* schuldner* debiteur* deudor*",
)
_OFTEN = "daily taglich* quotidien* diari* 每天 每日|weekly wochentlich* hebdomadaire* semanal* 每周|monthly monatlich* mensuel* mensual* 每月|quarterly vierteljahrlich* trimestriel* trimestral* 每季度|yearly annual annually jahrlich* annuel* anual* 每年"
_EACH = r"(?:each|every|per|pro|jede[nrsm]?|chaque|par|cada|por|al)"
_PERIODS = (*(UNIT[unit] for unit in ("day", "week", "month")), "quarter quarters quartal trimestre", UNIT["year"])  # fmt: skip
_PERIOD = {word: n for n, words in enumerate(_PERIODS) for word in words.split()}
_EACH_PERIOD = regex.compile(rf"\b{_EACH} (?P<period>{'|'.join(_PERIOD)})\b")
_BEFORE, _AFTER = (
    r"(?P<when>before|prior to|until|vor|bis|avant|jusqu|antes)",
    r"(?P<when>after|following|nach|seit|apres|despues)",
)
_OF_WHAT = (
    r"\s(?:(?:the|a|an|its|dem|der|den|das|le|la|les|l|el|los|del|de|du|d|que)\s)*(?P<what>\w+)"
)
_EARLIER = regex.compile(rf"\b{_BEFORE}{_OF_WHAT}")
_LATER = regex.compile(rf"\b{_AFTER}{_OF_WHAT}")
_WORD = regex.compile(r"\w+")


def _classes(group: str) -> list[regex.Pattern[str]]:
    return [
        regex.compile(
            "|".join(
                word
                if regex.match(r"\p{Han}", word)
                else rf"\b{word.replace('*', chr(92) + 'w*')}\b"
                for word in words.split()
            )
        )
        for words in group.split("|")
    ]


_PATTERNS: dict[str, list[regex.Pattern[str]]] = {}


def _classes_in(group: str, text: str) -> frozenset[int]:
    if group not in _PATTERNS:
        _PATTERNS[group] = _classes(group)
    return frozenset(n for n, words in enumerate(_PATTERNS[group]) if words.search(text))


def _differ(mine: frozenset[int], theirs: frozenset[int]) -> bool:
    return bool(mine and theirs and not mine & theirs)


def turned(claim: str, text: str) -> int:
    """The number of opposites of a claim and a text, of words whose negation is the opposite."""
    mine, theirs = _plain(claim), _plain(text)
    return sum(_differ(_classes_in(group, mine), _classes_in(group, theirs)) for group in _TURNING)


def excludes(claim: str, text: str) -> bool:
    """Whether a claim has a mutually exclusive word in the place of one of the text.

    Another period, another party, another side of the compass, before for after.
    """
    mine, theirs = _plain(claim), _plain(text)
    if any(_differ(_classes_in(group, mine), _classes_in(group, theirs)) for group in _EXCLUDING):
        return True
    return _differ(_frequency(mine), _frequency(theirs)) or _other_time(mine, theirs)


def _frequency(text: str) -> frozenset[int]:
    each = frozenset(_PERIOD[match["period"]] for match in _EACH_PERIOD.finditer(text))
    return each | _classes_in(_OFTEN, text)


def _other_time(mine: str, theirs: str) -> bool:
    """Whether one text has "before" where the other has "after"."""

    def of_what(pattern: regex.Pattern[str], text: str) -> frozenset[str]:
        return frozenset(match["what"] for match in pattern.finditer(text))

    earlier, later = of_what(_EARLIER, mine), of_what(_LATER, mine)
    earlier_there, later_there = of_what(_EARLIER, theirs), of_what(_LATER, theirs)
    return bool(
        (earlier & later_there) - later - earlier_there
        or (later & earlier_there) - earlier - later_there
    )


def _plain(text: str) -> str:
    """The folded words and Chinese characters of a text with single blanks."""
    return " ".join(_WORD.findall(fold(text)))
