"""What a model writes where it means a call, and what of a conversation is sent to it."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_agent.agent.answerer import ModelAnswerer
from corpus_agent.agent.conversation import CUT, LEFT_OUT, Message, fit, tokens
from corpus_agent.agent.request import Call, parse
from corpus_agent.models.http import Capabilities, Deadline, fetch_capabilities
from tests.support.fakes import MemoryCorpus, ScriptedModelServer, calls, raw, says

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


def result(n: int, size: int = 3_000) -> list:
    call = Call(f"c{n}", "vectordb_search", {"query": f"q{n}"})
    return [
        Message("assistant", "", (call,)),
        Message("tool", f"<<doc 7f3a91>>\n{'word ' * (size // 5)}\n", (call,)),
    ]


TURNS = [Message("user", "Earlier?"), Message("assistant", "Earlier answer. " * 20)]
QUESTION = Message("user", "And now?")


def test_a_result_is_cut_at_a_line_end_and_its_delimiter_closed():
    call = Call("1", "vectordb_search", {"query": "q"})
    hits = "\n".join(
        f"{n}. a.md\n<<doc 7f3a91>> words and words <</doc 7f3a91>>" for n in range(90)
    )
    for window in range(300, 700, 7):
        kept, _ = fit(
            [
                QUESTION,
                Message("assistant", "", (call,)),
                Message("tool", f"90 results\n{hits}", (call,)),
            ],
            window,
        )
        text = kept[-1].text
        assert text.count("<<doc 7f3a91>>") == text.count("<</doc 7f3a91>>")
        assert text.count("<") == 2 * text.count("doc 7f3a91>>")


SIZES = st.lists(st.integers(0, 8_000), min_size=1, max_size=4)


@pytest.mark.slow
@given(st.lists(SIZES, max_size=5), st.integers(300, 6_000))
def test_whatever_is_said_it_fits_or_nothing_more_can_go(replies, window):
    entries = [*TURNS, QUESTION]
    for sizes in replies:
        results = [result(n, size) for n, size in enumerate(sizes)]
        asked = tuple(call for reply, _ in results for call in reply.calls)
        entries += [Message("assistant", "", asked), *(answered for _, answered in results)]
    kept, _ = fit(entries, window)
    assert kept[0] == QUESTION or kept[0] == TURNS[0]
    if tokens(kept) > window:
        assert kept[0] == QUESTION
        results = [entry.text for entry in kept if entry.role == "tool"]
        assert all(len(text) <= max(len(CUT), len(LEFT_OUT)) for text in results)


def page(content: object):
    return raw(json.dumps(content).encode())


LLAMA = {
    "default_generation_settings": {"n_ctx": 8192},
    "chat_template_caps": {"supports_tools": True},
}


def test_a_server_is_asked_for_window_and_tools():
    def props(window):
        return page({"default_generation_settings": {"n_ctx": window}})

    running = page({"models": [{"name": "toy-model", "context_length": 16384}]})
    plain = page({"capabilities": ["completion"], "model_info": {}})
    tools = page({"capabilities": ["completion", "tools"], "details": {}})
    loaded = page({"data": [{"id": "toy-model", "loaded_context_length": 4096}]})
    failing = []
    for pages, expected in (
        ({"GET /props": page(LLAMA)}, Capabilities(8192, True)),
        ({"GET /api/ps": running, "POST /api/show": plain}, Capabilities(16384, False)),
        ({"POST /api/show": page({"parameters": "stop x\nnum_ctx    8000\n", "details": {}})},
         Capabilities(8000)),
        ({"POST /api/show": tools}, Capabilities(4096, True)),
        ({"GET /api/v0/models": loaded}, Capabilities(4096)),
        ({}, Capabilities()),
        ({"GET /props": raw(b"nonsense"), "GET /api/ps": page([1])}, Capabilities()),
        ({"GET /props": props("8k")}, Capabilities()),
    ):  # fmt: skip
        if asked(ScriptedModelServer(pages=pages)) != expected:
            failing.append((list(pages), expected))
    assert failing == []
    listing = page({"data": [{"id": "toy-model", "max_model_len": 32768}]})  # as vLLM says it
    assert asked(ScriptedModelServer(listing=listing)) == Capabilities(32768)


def asked(script: ScriptedModelServer) -> Capabilities:
    with script:
        return fetch_capabilities(script.broker, "toy-model", Deadline(20))


@pytest.mark.slow
def test_every_request_fits_the_window_that_the_server_names():
    window = 3_000
    text = "\n".join(f"Line {n} of a long story about sourdough." for n in range(3_000))
    corpus = MemoryCorpus({"a.md": text, "b.md": text})
    reads = [
        calls(("vectordb_read", {"source": f"{'ab'[n % 2]}.md", "offset": 1 + 50 * n}))
        for n in range(6)
    ]
    props = page({"default_generation_settings": {"n_ctx": window}})
    with ScriptedModelServer([*reads, says("NOT_FOUND")], pages={"GET /props": props}) as fake:
        ModelAnswerer(fake.server, "toy-model", fake.broker).answer("Sourdough story?", corpus)
        for request in fake.requests:
            size = len(json.dumps(request["messages"]).encode()) + len(json.dumps(request["tools"]))
            # Four bytes a token: English prose has no fewer.
            assert size / 4 + request["max_tokens"] <= window
    assert len(fake.requests) == 7
    assert LEFT_OUT in json.dumps(fake.requests[-1])
