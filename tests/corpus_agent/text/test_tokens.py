"""Words that count as one."""

from corpus_agent.text.tokens import has_digit, name_terms, same_word, terms, word_spans


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
    assert all(map(has_digit, name_terms(asked, alike=False)))
