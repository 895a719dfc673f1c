"""No regular expression costs a document or a reply more than its length.

Each pattern of the program is fed what it begins with, again and again and never finished, and each
of its repetitions, long. Slow: there are hundreds of patterns.
"""

import re

import pytest

from tests.support.adversarial import Hostile, Used, grows, hostile, modules, patterns_of

# Searched for in one question, sentence, claim, quotation or draft of an answer, which tokens
# bound, or in a code of 255 characters; never in a document.
BOUNDED = {
    "indexer.extract.sheets.number_formats._TOKEN",
    "corpus_agent.agent.text_tool_calls",
    "corpus_agent.answering.answer_type.KINDS",
    "corpus_agent.answering.answer_type.MEASURES",
    "corpus_agent.answering.answer_type._HOLDING",
    "corpus_agent.answering.citations._PLACE",
    "corpus_agent.answering.agreement._CLAUSE_BEGINS",
    "corpus_agent.answering.quotations._ELLIPSIS",
    "corpus_agent.answering.comparison",  # questions of at most 300 characters
    "corpus_agent.fields.condition._ASKED",  # conditions of at most 500
    "corpus_agent.fields.mention_question",  # questions of at most 300
    "corpus_agent.answering.cuts._EMPHASIS",
    "corpus_agent.answering.statements._RATIOS",
    # Of a line of which 600 characters are taken, of a label of which 120 letters are.
    "corpus_agent.answering.statements._ROW",
    "corpus_agent.answering.statements._TITLED",
    # Of the text beside one date or phrase, of which 320 characters are taken without its blanks.
    "corpus_agent.fields.clauses._LABEL",
    "corpus_agent.fields.clauses._DEFINED",
    "corpus_agent.fields.clauses._EFFECTIVE",
    "corpus_agent.fields.clauses._SIGNED",
    "corpus_agent.fields.expiry._LABELLED",
    "corpus_agent.fields.notice._AHEAD",  # 80 characters
    "corpus_agent.fields.notice._BEHIND",
    "corpus_agent.fields.labelled._CONNECTED",
    "corpus_agent.fields.parties._ROLE",  # what stands in brackets, 200 characters
    "corpus_agent.text.clause_marks._BEFORE",  # the 60 characters before a mark
    "corpus_agent.text.column_names",  # the last 400 characters of a line
    "corpus_agent.text.negation",
    "corpus_agent.text.numbers._SCALED",
    "corpus_agent.text.sentences",
    "corpus_agent.text.snippet._UNIT",
    "corpus_agent.text.tokens._NAME",
}


def growing(package: str) -> list[tuple[str, Hostile]]:
    """The patterns of a package that take more than their length, each with what shows it."""
    found, seen = [], set()
    for module in modules(package):
        for used in patterns_of(module):
            key = used.pattern.pattern, used.pattern.flags, used.methods
            if key in seen or used.name.startswith(tuple(BOUNDED)):
                continue
            seen.add(key)
            shows = next((unit for unit in hostile(used.pattern) if grows(used, unit)), None)
            found += [(used.name, shows)] if shows else []
    return found


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.timeout(1_500)  # 150 s of two quiet cores: what grows is said, not cut off
@pytest.mark.filterwarnings("ignore:Possible:FutureWarning")
@pytest.mark.parametrize("package", ["indexer", "corpus_agent"])
def test_no_pattern_costs_more_than_the_length_of_its_text(package):
    assert growing(package) == []


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        (r"(?ms)^begin \w+\n.*?^end$", "sub"),
        (r"\s+$", "search"),
        (r"<a\b[^>]*>", "finditer"),
        (r"\d*\.?\d+(?:px|em)", "fullmatch"),
    ],
)
def test_a_pattern_that_grows_would_be_found(pattern, method):
    used = Used("test", re.compile(pattern), frozenset({method}))
    assert any(grows(used, unit) for unit in hostile(used.pattern))


def test_a_pattern_that_does_not_grow_is_not_found():
    used = Used("test", re.compile(r"^begin \w+$"), frozenset({"match"}))
    assert not any(grows(used, unit) for unit in hostile(used.pattern))
