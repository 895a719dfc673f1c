"""Words, numbers and dates in each of their forms; the snippet: the sentences that have them."""

import re
import time
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_agent.text.number_words import calendar_names, with_spellings
from corpus_agent.text.numbers import found
from corpus_agent.text.polarity import denials
from corpus_agent.text.quantities import bounds, counted
from corpus_agent.text.tokens import name_terms, same_word, terms, word_spans
from corpus_agent.tools.search import snippet

FEBRUARY = """in February; in feb; 14 Feb 2024; Feb. 2024; FEB-24; 2024-02-14; 14.2.2024;
am 3. Februar; le 3 février; | Month: Feb | Rain: 80 |"""
SATURDAY = "on Saturday; on sat; Sat 3 May; Mon-Sat; Sat & Sun; | Day: Sat |; Samstag"
NONE = """The cat sat there.; It needs full sun and they wed.; Who is Jan?; They march on.;
So we did. Do it.; mon chat et mon chien; Version 1.2.3; decide, second, marble, octopus"""


def test_a_month_and_a_weekday_are_known_in_each_of_their_spellings():
    for texts, name in ((FEBRUARY, ("month", 2)), (SATURDAY, ("weekday", 6))):
        for text in texts.split(";"):
            assert name in calendar_names(text.strip()).values(), text


def test_words_that_are_no_dates_name_none_and_the_doubtful_ones_count_in_a_date():
    for text in NONE.split(";"):
        assert calendar_names(text.strip()) == {}, text
    found = calendar_names("Jan 2024, 3 May, on Wed, Sun-Mon")
    assert found.keys() == {"jan", "may", "wed", "sun", "mon"}


def test_a_question_is_searched_with_both_spellings():
    for question, also in (
        ("What was paid in February?", " Feb"),
        ("What was paid in Feb?", " February"),
        ("Was war im Dezember?", " December Dec"),
        ("Who comes on Tues?", " Tuesday Tue"),
        ("Who sat there?", ""),
    ):
        assert with_spellings(question) == f"{question}{also}"


def test_forms_of_one_word_and_names_of_one_year():
    same = "intercept intercepted, fy2017 2017, 2022 fy22, fy22 fy2022, fyn fyns"
    for pairs, wanted in ((same, True), ("fy22 2021, 22 2022, 1042 1043", False)):
        for one, other in map(str.split, pairs.split(",")):
            assert same_word(one, other) is same_word(other, one) is wanted, (one, other)


def test_pairs_of_characters_are_words_where_a_model_reads_them():
    text = "Miete 租金 12,5"
    spans = word_spans("租约期满 on 31 May", pairs=True)
    assert [word for *_, word in spans][:4] == ["租约", "约期", "期满", "31"]
    assert all("租约期满 on 31 May"[start:end].lower() == word for start, end, word in spans)
    assert [word for *_, word in word_spans(text)] == ["miete", "12", "5"]
    assert terms("٩٨٥ ९८५ ๙๘๕") == ["985"] * 3
    # A vowel of Thai becomes two signs: "ำ".
    assert [word for *_, word in word_spans("ค้ำ", pairs=True)] == terms("ค้ำ")


def test_a_name_in_another_language_is_a_figure():
    asked = "Wann endet der Vertrag E1042 von Herrn Molinari 2031?"
    assert {"molinari", "e1042"} <= name_terms(asked)
    assert name_terms(asked, alike=False) == {"e1042", "2031"}


@pytest.mark.slow
def test_four_times_the_text_costs_less_than_nine_times():
    def seconds(reads, unit: str, size: int) -> float:
        text = unit * (size // len(unit))
        found.cache_clear()
        begun = time.process_time()
        reads(text)
        return time.process_time() - begun

    # Both are long enough that the square of the first took more than all of it does now.
    for unit in ("1 2 ", "(500) ", "one hundred (500) ", "hundred - - - ", "-5 kg "):
        for cost in (partial(seconds, reads, unit) for reads in (found, counted)):
            assert any(cost(24_000) <= 9 * cost(6_000) + 0.05 for _ in range(3)), unit


SIGNED = {
    "a gain of (500)": "-500",
    "of us chf -7": "-7",
    "x -EUR 7": "-7",
    "moins € 7": "-7",
    "| -SEK 500 |": "-500",
    "| −¥500 |": "-500",
    "| -US$500 |": "-500",
    "| 500 NOK- |": "-500",
    "a loss: (500 PLN)": "-500",
    "₹5m": "5000000",
    "-try 5": "5",  # a word
    "这本书(500元)": "500",  # an aside
    "tel. 030 (500)": "500",
    "five hundred   (500)": "500",
    "10-7": "7",
    "about two hundred": "200",
    "2\u00a0- hundred": "2",  # a scale behind a figure is read with it
}


def test_a_sign_is_found_beside_its_figure_alone():
    for text, value in SIGNED.items():
        padded = "word " * 20 + text
        assert found(padded)[-1].values == found(text)[-1].values == (value,), text


def test_a_bound_stands_before_a_sum_in_any_currency():
    for money in ("€", "SEK ", "US$", "PLN "):
        assert bounds(f"It costs at most {money}500.") == {"500": {"high"}}
        assert bounds(f"It costs at most, {money}500.") == {}  # the control


DENIED = """
ผู้เช่าไม่ต้องจ่าย | อย่าเปิดฝา | 契約は更新されない。 | 入場はできず、返金される。
لا يدفع المستأجر | ولا يجوز الدخول | Kiracı vergiyi ödemez | Sözleşme yenilenmedi
Koiria ei saa tuoda | Älä avaa venttiiliä
"""
SAID = """
โต๊ะทำจากไม้สัก | 契約は毎年更新される。 | 少ない荷物で旅行する。 | يدفع المستأجر الضريبة
Kiracı vergiyi öder | Vuokralainen maksaa veron | Señor Gómez paga | The lane ends here
"""


def test_a_denial_is_seen_in_scripts_without_blanks_and_in_endings():
    assert [each for each in re.split(r"[|\n]", DENIED.strip()) if not denials(each, "")] == []
    assert [each for each in re.split(r"[|\n]", SAID.strip()) if denials(each, "")] == []


FILLER = "Nothing of interest happens in this sentence. " * 30
COMMON = "What is the use of a day? " * 20
CHINESE = "这里没有什么有用的内容。" * 100
THAI = "ข้อความทั่วไป" * 100
KOREAN = "관련 없는 문장입니다. " * 80


def test_the_window_holds_whole_sentences_with_the_rarest_words():
    for text, query, held in (
        (f"{FILLER}Keep the sourdough at 24 °C. {FILLER}", "sourdough", "Keep the sourdough at 24"),
        ("Dough dough. " * 30 + f"{FILLER}The dough has a temperature. ", "dough temperature",
         "The dough has a temperature."),
        (f"{COMMON}Clafoutis needs cherries. {COMMON}", "what is the clafoutis of a day",
         "Clafoutis needs"),
        (f"{FILLER}The last word is zebra.", "zebra", "is zebra."),
        (f"{FILLER}Keep the temperatures low. {FILLER}", "temperature", "temperatures low"),
        (f"First. {FILLER}", "zebra", "First."),
        ("\n".join(f"| item {n} | {n * 7} |" for n in range(200)), "item 137", "| item 137 |"),
        (f"{CHINESE}面团在二十四度发酵。{CHINESE}", "面团发酵温度", "面团在二十四度发酵。"),
        (f"{THAI}อุณหภูมิแป้ง{THAI}", "อุณหภูมิ", "อุณหภูมิ"),
        (f"{KOREAN}계약서를 보관합니다. {KOREAN}", "계약서", "계약서를"),
    ):  # fmt: skip
        shown = snippet(text, query)
        assert held in shown and len(shown) <= 800
        assert snippet(f"  {held}\n", query) == held  # a short text is shown whole
        assert shown.startswith("… ") != text.startswith(shown[:20])
        assert shown.endswith(" …") != text.rstrip().endswith(shown[-20:])


def test_words_are_folded_and_unspaced_scripts_paired():
    assert terms("Straße FÜNF ２４ 東京都 a") == ["strasse", "funf", "24", "東京", "京都", "a"]
    assert terms("계약서를") == ["계약", "약서", "서를"]


@pytest.mark.slow
@given(st.text(max_size=3000), st.text(max_size=20), st.integers(20, 900))
def test_a_snippet_keeps_to_its_limit_and_to_the_text(text, query, limit):
    shown = snippet(text, query, limit)
    assert len(shown) <= limit
    if shown != text.strip():
        assert shown.removeprefix("… ").removesuffix(" …") in text
