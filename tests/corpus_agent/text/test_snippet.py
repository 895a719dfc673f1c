"""The snippet: the sentences of a passage that the question is about."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_agent.text.snippet import best_span, snippet
from corpus_agent.text.tokens import terms

FILLER = "Nothing of interest happens in this sentence. " * 30


def test_a_short_text_is_shown_whole():
    assert snippet("  Keep it at 24 °C.\n", "temperature") == "Keep it at 24 °C."


def test_the_window_holds_the_sentence_with_the_words_and_says_what_is_missing():
    text = f"{FILLER}Keep the sourdough at a temperature of 24 °C. {FILLER}"
    shown = snippet(text, "sourdough temperature")
    assert "Keep the sourdough at a temperature of 24 °C." in shown
    assert shown.startswith("… ") and shown.endswith(" …")
    assert 600 < len(shown) <= 800


def test_the_words_stand_in_the_middle_of_the_window():
    text = f"{FILLER}Keep the sourdough warm. {FILLER}"
    at = snippet(text, "sourdough").index("sourdough")
    assert 250 < at < 550


def test_distinct_words_weigh_more_than_one_word_often():
    text = f"{'Dough dough dough. ' * 20}{FILLER}The dough rests at this temperature. {FILLER}"
    assert "temperature" in snippet(text, "dough temperature", limit=300)


def test_a_rare_word_weighs_more_than_common_ones():
    common = "What is the use of a day? " * 20
    text = f"{common}Clafoutis needs cherries. {common}"
    assert "Clafoutis" in snippet(text, "what is the clafoutis of a day", limit=200)


def test_words_at_the_end_are_shown_with_what_stands_before_them():
    shown = snippet(f"{FILLER}The last word is zebra.", "zebra")
    assert shown.endswith("is zebra.") and len(shown) > 700


def test_inflected_forms_are_found():
    text = f"{FILLER}Keep the temperatures low. {FILLER}"
    assert "temperatures low" in snippet(text, "temperature")


def test_text_without_a_query_word_is_shown_from_its_beginning():
    shown = snippet(f"First. {FILLER}", "zebra")
    assert shown.startswith("First.") and shown.endswith(" …")


def test_lines_are_kept_whole():
    rows = [f"| item {n} | {n * 7} |" for n in range(200)]
    shown = snippet("\n".join(rows), "item 137").strip("… ")
    assert "| item 137 | 959 |" in shown
    assert all(row in rows for row in shown.split("\n"))


def test_chinese_is_cut_at_its_own_full_stops():
    filler = "这里没有什么有用的内容。" * 100
    shown = snippet(f"{filler}面团在二十四度发酵。{filler}", "面团发酵温度")
    assert "面团在二十四度发酵。" in shown
    assert shown.strip("… ").endswith("。") and len(shown) <= 800


def test_thai_without_spaces_or_full_stops_is_found():
    filler = "ข้อความทั่วไป" * 100
    shown = snippet(f"{filler}อุณหภูมิแป้ง{filler}", "อุณหภูมิ")
    assert "อุณหภูมิ" in shown
    assert len(shown) <= 800


def test_korean_words_are_found_with_their_particles():
    filler = "관련 없는 문장입니다. " * 80
    assert "계약서를" in snippet(f"{filler}계약서를 보관합니다. {filler}", "계약서")


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


@given(st.text(alphabet="ab .\n東。", max_size=2000), st.integers(1, 300))
def test_a_span_is_within_the_text_and_the_limit(text, limit):
    start, end = best_span(text, "a 東", limit)
    assert 0 <= start <= end <= len(text)
    assert end - start <= limit
    assert text[start:end] == text[start:end].strip()
