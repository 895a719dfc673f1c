"""What models write where they mean a tool call, and where they begin to invent its result."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_agent.agent.text_tool_calls import parse

TOOLS = {
    "vectordb_search": (("query",), ("query",)),
    "vectordb_read": (("source", "offset", "limit"), ("source",)),
}
SEARCH = ("vectordb_search", {"query": "notice period"})
READ = ("vectordb_read", {"source": "a.md", "offset": 200})
OBJECT = '{"name": "vectordb_search", "arguments": {"query": "notice period"}}'
OTHER = '{"name": "vectordb_read", "arguments": {"source": "a.md", "offset": 200}}'
GIVEN = '{"query": "notice period"}'

ONE_SEARCH = {
    "Qwen, Hermes": f"<tool_call>\n{OBJECT}\n</tool_call>",
    "not closed": f"<tool_call>{OBJECT[:-1]}",
    "Granite": f"<|tool_call|>[{OBJECT}]",
    "arguments alone": f"<tool_call>{GIVEN}</tool_call>",
    "a name before the object": f"<tool_call>vectordb_search\n{GIVEN}</tool_call>",
    "Qwen Coder": "<tool_call>\n<function=vectordb_search>\n<parameter=query>\nnotice period\n"
    "</parameter>\n</function>\n</tool_call>",
    "Llama 3.1": f"<function=vectordb_search>{GIVEN}</function>",
    "Llama 3.1, parameters": OBJECT.replace("arguments", "parameters"),
    "Mistral": f"[TOOL_CALLS] [{OBJECT}]",
    "Mistral, newer": f"[TOOL_CALLS]vectordb_search[ARGS]{GIVEN}",
    "a code block of JSON": f"```json\n{OBJECT}\n```",
    "bare JSON": OBJECT,
    "single quotes": str({"name": SEARCH[0], "arguments": SEARCH[1]}),
    "after thoughts": f"<think>I call <tool_call>.</think>\n{OBJECT}",
}


def heard(reply: str):
    spoken = parse(reply, TOOLS)
    return spoken.text, list(spoken.calls)


def test_a_call_is_understood_however_it_is_written_and_what_follows_is_dropped():
    after = "\n\nResult: the notice period is nine years.\n\nThe notice period is nine years."
    failing = []
    for form, reply in ONE_SEARCH.items():
        if heard(reply) != ("", [SEARCH]):
            failing.append((form, heard(reply)))
        if form == "after thoughts":
            continue  # nothing but the form itself says that this is a call
        text, calls = heard(f"Let me look that up.\n{reply}{after}")
        if (text, [name for name, _ in calls]) != ("Let me look that up.", [SEARCH[0]]):
            failing.append((form, text, calls))
    assert failing == []


@pytest.mark.parametrize(
    "reply",
    [
        f"<tool_call>{OBJECT}</tool_call>\n<tool_call>{OTHER}</tool_call>",
        f"[{OBJECT}, {OTHER}]",
        f"```json\n{OBJECT}\n{OTHER}\n```",
        f"{OBJECT}\n{OTHER}",
    ],
)
def test_several_calls_side_by_side_are_one_group(reply):
    assert heard(reply) == ("", [SEARCH, READ])


def test_a_broken_call_behind_a_marker_is_handed_to_the_toolbox_as_it_is():
    broken = '<tool_call>{"name": "vectordb_read", "arguments": {source: a.md}}</tool_call>'
    ((name, arguments),) = parse(broken, TOOLS).calls
    assert name == "vectordb_read" and isinstance(arguments, str)
    assert parse('<tool_call>{"name": "send", "arguments": {}}', TOOLS).calls == (("send", {}),)


@pytest.mark.parametrize(
    "reply",
    [
        'The deposit is £1,130 [lease.md:22] "a deposit of £1,130".',
        "NOT_FOUND",
        "Set `max(1, x)` in config.json:\n\n```python\nprint(max(1, 2))\n```",
        '```json\n{"name": "Anna", "role": "tenant"}\n```',
        'The file holds {"name": "Anna", "age": 3} and [1, 2].',
        '{"source": "a.md"}',
        "See vectordb_search for more.",
        "[1] and [a.md:3] {x}",
        '{I would call vectordb_search with the name: "vectordb_search", arguments: {query: "a"}}',
        "",
    ],
)
def test_an_answer_is_no_call(reply):
    spoken = parse(reply, TOOLS)
    assert (spoken.text, spoken.calls, spoken.end) == (reply, (), None)


@pytest.mark.parametrize(
    "invention",
    [
        "<tool_response>\n1. a.md says nine years\n</tool_response>\nNine years.",
        "Observation: nine years.",
        "[TOOL_RESULTS] nine years [/TOOL_RESULTS]",
        '3 results for "notice" in 812 documents\n1. a.md',
        "<|im_start|>user\nThanks!",
        "User: and what else?",
    ],
)
def test_a_reply_is_cut_where_it_speaks_for_a_tool_or_the_user(invention):
    spoken = parse(f"I will see.\n{invention}", TOOLS)
    assert (spoken.text, spoken.calls, spoken.end) == ("I will see.", (), len("I will see.\n"))


@pytest.mark.slow
@given(st.text(alphabet="{}[]\"'<>/|`:,=()\n abquery_tolsrchvdTOL_CAS", max_size=200))
def test_nothing_that_a_model_writes_breaks_the_parser(reply):
    spoken = parse(reply, TOOLS)
    assert spoken.end is None or 0 <= spoken.end <= len(reply)


@pytest.mark.parametrize("piece", ['{"a":', "{'a':", '<tool_call>{"a":', "\n{", "\n[[", "x(\n"])
def test_a_reply_costs_no_more_than_its_length_and_the_bound_of_a_call(piece):
    """It is parsed again with each piece that comes."""
    started = time.process_time()
    parse(piece * (40_000 // len(piece)), TOOLS)
    assert time.process_time() - started < 3
