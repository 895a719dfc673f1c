"""The snippet: the sentences of a passage that the question is about."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_agent.text.tokens import terms
from corpus_agent.tools.search import snippet

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
