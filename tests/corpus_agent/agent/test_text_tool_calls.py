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
GIVEN = '{"query": "notice period"}'


def heard(reply: str):
    spoken = parse(reply, TOOLS)
    return spoken.text, [(call.name, call.arguments) for call in spoken.calls]


ONE_SEARCH = {
    "Hermes": f"<tool_call>\n{OBJECT}\n</tool_call>",
    "not closed": f"<tool_call>{OBJECT}",
    "Granite": f"<|tool_call|>[{OBJECT}]",
    "GLM": "<tool_call>vectordb_search\n<arg_key>query</arg_key>\n<arg_value>notice period"
    "</arg_value>\n</tool_call>",
    "a name before the object": f"<tool_call>vectordb_search\n{GIVEN}</tool_call>",
    "arguments alone": f"<tool_call>{GIVEN}</tool_call>",
    "Qwen Coder": "<tool_call>\n<function=vectordb_search>\n<parameter=query>\nnotice period\n"
    "</parameter>\n</function>\n</tool_call>",
    "Llama 3.1": f"<function=vectordb_search>{GIVEN}</function>",
    "invoke": '<function_calls>\n<invoke name="vectordb_search">\n<parameter name="query">'
    "notice period</parameter>\n</invoke>\n</function_calls>",
    "Mistral": f"[TOOL_CALLS] [{OBJECT}]",
    "Kimi": "<|tool_calls_section_begin|><|tool_call_begin|>functions.vectordb_search:0"
    f"<|tool_call_argument_begin|>{GIVEN}<|tool_call_end|><|tool_calls_section_end|>",
    "DeepSeek": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>vectordb_search\n"
    f"```json\n{GIVEN}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "gpt-oss": "<|channel|>commentary to=functions.vectordb_search <|constrain|>json<|message|>"
    + GIVEN,
    "Llama 3.2": '[vectordb_search(query="notice period")]',
    "Gemma": '```tool_code\nprint(vectordb_search(query="notice period"))\n```',
    "a code block of JSON": f"```json\n{OBJECT}\n```",
    "bare JSON": OBJECT,
    "action and action_input": f'{{"action": "vectordb_search", "action_input": {GIVEN}}}',
    "the whole message": f'{{"tool_calls": [{{"id": "1", "function": {OBJECT}}}]}}',
    "single quotes": str({"name": SEARCH[0], "arguments": SEARCH[1]}),
    "ReAct": f"Action: vectordb_search\nAction Input: {GIVEN}",
    "the tool as a tag": f"<vectordb_search>{GIVEN}</vectordb_search>",
    "bare Python": 'vectordb_search(query="notice period")',
    "after thoughts": f"<think>I call <tool_call>.</think>\n{OBJECT}",
}


def test_a_call_is_understood_however_it_is_written_and_what_follows_is_dropped():
    after = "\n\nResult: the notice period is nine years.\n\nThe notice period is nine years."
    failing = []
    for form, reply in ONE_SEARCH.items():
        text, calls = heard(reply)
        given = [(name, SEARCH[1] if found == GIVEN else found) for name, found in calls]
        if (text, given) != ("", [SEARCH]):
            failing.append((form, text, calls))
        if form == "after thoughts":
            continue  # nothing but the form itself says that this is a call
        text, calls = heard(f"Let me look that up.\n{reply}{after}")
        if (text, [name for name, _ in calls]) != ("Let me look that up.", [SEARCH[0]]):
            failing.append((form, text, calls))
    assert failing == []


@pytest.mark.parametrize(
    "reply",
    [
        f"<tool_call>{OBJECT}</tool_call>\n<tool_call>{{0}}</tool_call>",
        f"[{OBJECT}, {{0}}]",
        f"```json\n{OBJECT}\n{{0}}\n```",
        f"{OBJECT}\n{{0}}",
        '[vectordb_search(query="notice period"), vectordb_read(source="a.md", offset=200)]',
        '```tool_code\nvectordb_search(query="notice period")\nvectordb_read("a.md", 200)\n```',
    ],
)
def test_several_calls_side_by_side_are_one_group(reply):
    read = '{"name": "vectordb_read", "arguments": {"source": "a.md", "offset": 200}}'
    assert heard(reply.replace("{0}", read)) == ("", [SEARCH, READ])


NO_CALLS = [
    'The deposit is £1,130 [lease.md:22] "a deposit of £1,130".',
    "NOT_FOUND",
    "Set `max(1, x)` in config.json:\n\n```python\nprint(max(1, 2))\n```",
    '```json\n{"name": "Anna", "role": "tenant"}\n```',
    'The file holds {"name": "Anna", "age": 3} and [1, 2].',
    "Use <b>bold</b> and <source>this</source>.",
    "search(query) is a function of the program.",
    "See vectordb_search for more.",
    "[1] and [a.md:3] {x}",
    '{I would call vectordb_search with the name: "vectordb_search", arguments: {query: "a"}}',
    "{ see chapter 3, where vectordb_search: is described }",
    "",
]


@pytest.mark.parametrize("reply", NO_CALLS)
def test_an_answer_is_no_call(reply):
    spoken = parse(reply, TOOLS)
    assert (spoken.text, spoken.calls, spoken.end) == (reply, (), None)


@pytest.mark.parametrize(
    "invention",
    [
        "<tool_response>\n1. a.md says nine years\n</tool_response>\nNine years.",
        "Observation: nine years.",
        "```tool_output\nnine years\n```",
        "[TOOL_RESULTS] nine years [/TOOL_RESULTS]",
        '3 results for "notice" in 812 documents\n1. a.md',
        "<|im_start|>user\nThanks!",
        "User: and what else?",
        "Tool result: nine years",
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


@pytest.mark.slow
@pytest.mark.parametrize("piece", ['{"a":', "{'a':", '<tool_call>{"a":', "<tool_call>x("])
def test_a_reply_costs_no_more_than_its_length_and_the_bound_of_a_call(piece):
    """It is parsed again with each piece that comes: of one without an end this took a second."""
    started = time.process_time()
    parse(piece * (200_000 // len(piece)), TOOLS)
    assert time.process_time() - started < 0.5
