"""What models write where they mean a tool call, and where they begin to invent its result."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_agent.agent.request import Call, parse

TOOLS = {"vectordb_search", "vectordb_read"}
SEARCH = Call("", "vectordb_search", {"query": "notice period"})
READ = Call("", "vectordb_read", {"source": "a.md", "offset": 200})
OBJECT = '{"name": "vectordb_search", "arguments": {"query": "notice period"}}'
OTHER = '{"name": "vectordb_read", "arguments": {"source": "a.md", "offset": 200}}'
BROKEN = '{"name": "vectordb_read", "arguments": {source: a.md}}'
FORMS = {
    f"<tool_call>\n{OBJECT}\n</tool_call>": [SEARCH],
    f"<|tool_call|>[{OBJECT}]": [SEARCH],
    OBJECT.replace("arguments", "parameters"): [SEARCH],
    f"```json\n{OBJECT}\n```": [SEARCH],
    f'{{"type": "function", "function": {OBJECT}}}': [SEARCH],
    f"<tool_call>{OBJECT}</tool_call>\n<tool_call>{OTHER}</tool_call>": [SEARCH, READ],
    f"[{OBJECT}, {OTHER}]": [SEARCH, READ],
    f"```json\n{OBJECT}\n{OTHER}\n```": [SEARCH, READ],
    f"{OBJECT}\n{OTHER}": [SEARCH, READ],
}
ANSWERS = (
    'The deposit is £1,130 [lease.md:22] "a deposit of £1,130".',
    "NOT_FOUND",
    "Set `max(1, x)` in config.json:\n\n```python\nprint(max(1, 2))\n```",
    '```json\n{"name": "Anna", "role": "tenant"}\n```',
    'The file holds {"name": "Anna", "age": 3} and [1, 2].',
    '{"source": "a.md"}',
    BROKEN,
    "See vectordb_search for more.",
    "[1] and [a.md:3] {x}",
    "",
)
INVENTIONS = (
    "<tool_response>\n1. a.md says nine years\n</tool_response>\nNine years.",
    "Observation: nine years.",
    "[TOOL_RESULTS] nine years [/TOOL_RESULTS]",
    '3 results for "notice" in 812 documents\n1. a.md',
    "<|im_start|>user\nThanks!",
    "User: and what else?",
)


def test_a_call_is_understood_however_it_is_written_and_what_follows_is_dropped():
    after = "\n\nResult: the notice period is nine years.\n\nThe notice period is nine years."
    for reply, wanted in FORMS.items():
        spoken = parse(f"<think>I use <tool_call>.</think>{reply}", TOOLS)
        assert (spoken.text, list(spoken.calls)) == ("", wanted), reply
        spoken = parse(f"Let me look that up.\n{reply}{after}", TOOLS)
        assert (spoken.text, list(spoken.calls)) == ("Let me look that up.", wanted), reply


def test_an_answer_is_no_call():
    for reply in ANSWERS:
        spoken = parse(reply, TOOLS)
        assert (spoken.text, spoken.calls, spoken.end) == (reply, (), None)


def test_a_reply_is_cut_where_it_speaks_for_a_tool_or_the_user():
    for invention in INVENTIONS:
        spoken = parse(f"I will see.\n{invention}", TOOLS)
        assert (spoken.text, spoken.calls, spoken.end) == ("I will see.", (), len("I will see.\n"))


@pytest.mark.slow
@given(st.text(alphabet="{}[]\"'<>/|`:,=()\n abquery_tolsrchvdTOL_CAS", max_size=200))
def test_nothing_that_a_model_writes_breaks_the_parser(reply):
    spoken = parse(reply, TOOLS)
    assert spoken.end is None or 0 <= spoken.end <= len(reply)


def test_a_reply_costs_no_more_than_its_length_and_the_bound_of_a_call():
    """It is parsed again with each piece that comes."""
    for piece in ('{"a":', "{'a':", '<tool_call>{"a":', "\n{", "\n[[", "x(\n"):
        started = time.process_time()
        parse(piece * (40_000 // len(piece)), TOOLS)
        assert time.process_time() - started < 3, piece
