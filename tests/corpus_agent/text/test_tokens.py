"""Words that count as one."""

import pytest

from corpus_agent.text.tokens import same_word


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("intercept", "intercepted", True),
        ("fy2017", "2017", True),
        ("2022", "fy22", True),
        ("fy22", "fy2022", True),
        ("fy22", "2021", False),
        ("22", "2022", False),
        ("fyn", "fyns", True),
        ("1042", "1043", False),
    ],
)
def test_forms_of_one_word_and_names_of_one_year(one, other, same):
    assert same_word(one, other) is same_word(other, one) is same
