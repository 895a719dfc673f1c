"""What is printed: what came with a document acts nowhere, and names can be typed back."""

import json
from contextvars import copy_context
from dataclasses import replace
from urllib.parse import unquote

from markdown_it import MarkdownIt

from corpus_agent import render
from corpus_agent.answering.receipt import Rechecked
from corpus_agent.answering.records import Answer, Citation
from corpus_agent.render.answers import block_lines, citation_object
from corpus_agent.render.common import AGAIN, advised, cited_place
from corpus_agent.text.naming import quoted
from corpus_agent.text.sanitize import inert, one_line
from indexer.files.walk import SeenFile
from indexer.records import Coverage, FileRow
from indexer.sync.plan import Plan
from indexer.sync.run import Outcome
from tests.attacks.injection.leaks import acting, live_markup
from tests.support.fakes import MemoryCorpus, passages

NAME = "a [x](javascript:alert(1)) <img src=x> www.evil.example\u034f\u202e.txt"
SHOWN = "a [x] (javascript[:]alert(1)) < img src=x> www[.]evil.example.txt~2a6e33"


def answer_citing(source: str) -> Answer:
    citation = Citation(1, source, None, 3, 4, "words", "verified")
    return Answer("q\x85?", "Text [1].", "answered", "m", passages(citation), Coverage(1), 1)


def test_a_run_says_what_the_index_holds_and_what_could_not_be_read():
    def unread(*reasons):
        return [FileRow(f"{n}.pdf", "failed", reason) for n, reason in enumerate(reasons)]

    first = Outcome(added=2, chunks=9, seconds=1.25)
    many = "4 files could not be read (3 need a password, 1 took too long to read): "
    many += "corpus-agent files --status failed,empty"
    stopped = "Stopped. 9 passages can be searched already. Go on: corpus-agent index"
    screens = (
        (first, ["2 documents, 9 passages in 1.2 s."]),
        (replace(first, recognised=1),
         ["2 documents, 9 passages in 1.2 s. One page was recognised from a scan."]),
        (Outcome(added=3, moved=1, removed=1, updated=1, chunks=9, seconds=2, problems=[
            FileRow("x.pdf", "failed", "malformed", detail="it ends too early"),
            *unread("binary")]),
         ["4 documents, 9 passages: 2 added, 1 moved, 1 updated, in 2.0 s.",
          "2 files could not be read: x.pdf (it ends too early), 0.pdf (it is not text)"]),
        (replace(first, problems=unread(*["encrypted"] * 3, "timeout")),
         ["2 documents, 9 passages in 1.2 s.",
          many]),
        (Outcome(chunks=9, interrupted=True),  # none of the documents was read again yet
         [stopped]),
        (Outcome(interrupted=True),
         ["Stopped before the first document could be searched. Go on: corpus-agent index"]),
    )  # fmt: skip
    found = [list(render.index_lines(outcome)) for outcome, _ in screens]
    assert found == [lines for _, lines in screens]


def test_an_index_whose_run_did_not_end_is_not_called_up_to_date():
    counts = ["indexed", "empty", "failed", "blank", "waiting", "unreachable"]
    status = {
        "files": dict.fromkeys(counts, 0),
        "recognition": {"engine": "", "waiting_pages": 0, "waiting_pictures": 0, "command": None},
        "languages": {"unread": 0, "command": None},
        "root": "/d", "root_exists": True, "store": "/d/s", "bytes": 0, "chunks": 0,
        "updated": "2026-11-27T01:39:00+00:00",
    }  # fmt: skip
    ended, stopped = (list(render.status_lines(status | {"complete": is_so})) for is_so in (1, 0))
    assert "brought up to date" in ended[0] and "brought up to date" not in "".join(stopped)
    assert stopped[1] == "The last run did not end: corpus-agent index goes on from there"


NAMED = """
-s n |: corpus-agent index. (corpus-agent list)|: corpus-agent -s n index. (corpus-agent -s n list)
-s n |corpus-agent --model multilingual index|corpus-agent -s n --model multilingual index
-s n |corpus-agent index FOLDER, corpus-agent stores|corpus-agent index FOLDER, corpus-agent stores
-s n |'corpus-agent index' ./corpus-agent index.md|'corpus-agent index' ./corpus-agent index.md
-s a -s b |corpus-agent status|corpus-agent -s a -s b status
-s a -s b |corpus-agent index|corpus-agent -s b index
"""


def test_an_advised_command_takes_the_options_that_were_typed_and_no_name_is_altered():
    context = copy_context()
    for typed, text, shown in (line.split("|") for line in NAMED.strip().splitlines()):
        context.run(AGAIN.set, typed)
        assert context.run(advised, text, "b") == shown
    context.run(AGAIN.set, "--all-stores ")
    lost = replace(answer_citing("a.md"), changed=("work:a.md",))
    *_, changed, _ = context.run(list, render.answer_lines(lost))
    assert changed.endswith("Run: corpus-agent -s work index")


def test_beside_a_passage_that_answers_none_is_shown_that_hardly_does():
    for probabilities, shown in (
        ((0.95, 0.5, 0.3), "ab"),
        ((0.95, 0.8, 0.3), "ab"),
        ((0.85, 0.5, 0.3), "abc"),
    ):
        every = [
            replace(
                passages(Citation(n, f"{name}.md", None, 1, 1, "words", "verified"))[0],
                probability=p,
            )
            for n, (name, p) in enumerate(zip("abc", probabilities, strict=True), 1)
        ]
        answer = replace(answer_citing("a.md"), text="", passages=tuple(every))
        lines = "\n".join(render.answer_lines(answer))
        assert [name for name in "abc" if f"{name}.md:1" in lines] == [*shown], probabilities
        assert len(render.answer_object(answer)["passages"]) == 3
        older = replace(every[2], age="older")  # what contradicts it is, too
        lines = "\n".join(render.answer_lines(replace(answer, passages=(*every[:2], older))))
        assert "c.md:1" in lines


def test_a_file_name_in_an_answer_is_no_link():
    lines = list(render.answer_lines(answer_citing(NAME)))
    assert any(line.startswith("[1] ") and "evil" in line for line in lines)
    assert not live_markup("\n".join(lines))
    content = render.answer_object(answer_citing(NAME))
    assert content["passages"][0]["source"] == SHOWN
    assert content["question"] == "q?"


def test_what_comes_with_a_file_is_cleaned_on_screens_and_in_json():
    row = FileRow("a.pdf", "failed", reason="malformed", detail="bad \u202etoken\x9b2J\n")
    assert render.file_object(row)["detail"] == "bad token"
    assert "bad token" in render.file_line(row)
    row = FileRow(source="a.md", status="indexed", lines=8, chunks=1, extractor="markdown/2")
    assert render.file_line(row) == "indexed a.md (8 lines, 1 passage)"
    todo = Plan(add=(SeenFile("a\u202e.txt"),), remove=("b\u2066.txt",))
    printed = json.dumps(render.plan_object(todo), ensure_ascii=False)
    assert json.loads(printed)["plan"]["add"] == ["a.txt~32d615"]  # not the name of another file
    assert printed.isascii()


def test_a_text_that_ends_in_a_scheme_does_not_meet_the_mark_behind_it():
    for scheme in ("file", "data", "javascript", "blob", "mailto", "Data"):
        text = f"It was sent as {scheme}:"
        citation = Citation(1, "a.txt", None, 3, 4, text, "verified")
        answer = replace(answer_citing("a.txt"), question=text, notices=(text,))
        answer = replace(answer, passages=passages(citation))
        recheck = Rechecked(replace(citation, verdict="altered"), (3, 4), "changed")
        for lines in (
            render.answer_lines(answer),
            render.receipt_lines([({"question": text}, [recheck])]),
            [render.export_markdown([answer])],
        ):
            assert "scheme" not in live_markup("\n".join(lines)), scheme
        # The control: cleaned before the marks, each of them would be taken for what it loads.
        assert live_markup(f"“{one_line(inert(text))}”") == ["scheme"]
        assert live_markup(f"*{one_line(inert(text))}*") == ["scheme"]
        assert live_markup(quoted(inert(text))) == ["scheme"]


def test_the_words_of_a_document_can_be_had_back_and_nothing_of_them_acts():
    for words, encoded in (
        ("3 % above base", False),
        ("see https://x.example/?a=%41 [b](c) www.d.example <i>", True),
        ("a\u200bb\u202ec ü", True),
    ):
        cited = replace(answer_citing("a.md").citations[0], quote=words)
        shown = citation_object(cited)
        raw = shown["raw"]
        assert (unquote(raw) if encoded else raw) == words
        assert shown["raw_encoded"] == encoded == (shown["quote"] != words)
        assert (live_markup(raw), acting(raw)) == ([], [])
        assert encoded == bool(live_markup(words) or acting(words))  # the control


def test_lines_are_marked_only_where_some_are_likely():
    text = "# Boiler\n" + "The pressure is low when it is cold. " * 3
    asked = text.index("The")
    for likely, first in (
        ((0, 0), ["    # Boiler"]),
        ((asked, asked + 36), ["    # Boiler", "  ▸ The pressure is low when it is cold."]),
    ):
        lines = list(block_lines(text, likely))
        assert lines[: len(first)] == first
        assert [line for line in lines if "▸" in line] == [line for line in first if "▸" in line]
        assert {len(line) - len(line.lstrip()) for line in lines if "▸" not in line} == {4}


def test_one_blank_before_a_line_is_no_indent_and_an_address_stands_as_it_is():
    text = "wellbeing\n\xa0of more than\n two\n    code\nTo: <a@b.example> <img src=x>"
    assert list(block_lines(text, (0, 0))) == [
        "    wellbeing", "    of more than", "    two", "        code",
        "    To: <a@b.example> < img src=x>",
    ]  # fmt: skip


def test_the_place_of_a_quotation_says_only_what_qualifies_it():
    checked = Citation(1, "a.md", None, 3, 3, "words", "verified")
    assert cited_place(checked) == "a.md:3"
    assert cited_place(replace(checked, page=7, line_end=5)) == "a.md:3-5, page 7"
    assert cited_place(replace(checked, hidden=True)) == "a.md:3 · hidden in the document"
    (shown,) = passages(replace(checked, heading="The lease > 1. Rent"))
    assert render.headed(shown) == "a.md:3 · 1. Rent"
    for heading, said in (("a", ""), ("File b.md > Lease > Rent", " · File b.md > Rent")):
        named = replace(shown, citation=replace(checked, heading=heading))
        assert render.headed(named) == f"a.md:3{said}"


# ---- answers as files

HOSTILE = (
    "</blockquote></title><script>alert(1)</script><img src=http://evil.example/x onerror=alert(1)>"
    " ![x](http://evil.example/y) [z](javascript:alert(1)) \x1b[31m\u202e {0} {answers} & \"q\" 'r'"
)


def exported(text: str = "It is due on the first day [1].", quote: str = "due on the first day"):
    citation = Citation(1, text if text == HOSTILE else "lease.pdf", 7, 3, 4, quote, "verified")
    question = HOSTILE if text == HOSTILE else "When is it due?"
    coverage = Coverage(indexed=3, failed=1)
    notices = ("A notice.", *([HOSTILE] if text == HOSTILE else []))
    return Answer(question, text, "perhaps", "extractive", passages(citation), coverage, 1, notices)


def test_a_file_holds_everything_and_nothing_in_it_is_live():
    text = render.export_markdown([exported()])
    for words in (
        *("When is it due?", "perhaps", "It is due on the first day [1].", "A notice."),
        "lease.pdf:3, page 7",
        "due on the first day",
        "3 documents searched, 1 could not be read",
    ):
        assert words in text
    text = render.export_markdown([exported(HOSTILE, HOSTILE)])
    assert not live_markup(text)
    assert live_markup(HOSTILE)  # the control
    assert "\x1b" not in text


def test_a_viewer_that_links_bare_addresses_finds_none_in_the_markdown():
    linked = MarkdownIt("gfm-like", {"linkify": True}).render
    for words in ("lease.com.md", "www.evil.com", "eve@evil.com", "https://evil.com/a"):
        cited = passages(Citation(1, words, None, 3, 4, f"see {words}", "verified", heading=words))
        shown = Answer(words, f"See {words} [1].", "likely", "toy", cited, Coverage(), 1, (words,))
        assert "<a " not in linked(render.export_markdown([shown]))
        assert "<a " in linked(words)  # the control


def test_no_answer_makes_a_turn_of_its_own_or_swallows_one_in_what_is_kept():
    def heads(raw: str) -> list[str]:
        outside = [token for token in MarkdownIt("commonmark").parse(raw) if token.level == 0]
        return [token.tag for token in outside if token.type in ("heading_open", "fence")]

    for text in (
        "So [1].\n\n## Was it right?\n\nYes, it was.\n\n*(extractive)*",
        "So [1].\n```\nopen",
        "So [1].\n\n# Title\n\nSetext\n===\n\n***",
        "So [1].\r## Was it right?\r\rYes.",
        "So [1].\n<!-- open\n<pre> [x](http://evil.example)",
    ):
        kept = render.export_markdown([exported(text, "see https://evil.example <img src=x>")] * 2)
        assert heads(kept) == ["h1", "h1"], text
        assert not live_markup(kept), text


def test_a_receipt_is_written_as_it_stands_today():
    content = {"question": "When is it due?", "answer": "It is due [1].", "status": "answered"}
    content |= {"started": "2026-01-02T03:04:05Z", "answerer": "extractive"}
    lost = Citation(1, "lease.pdf", None, 0, 0, "", "not_found")
    for now, said in ((exported().citations[0], "still stands"), (lost, "does not stand")):
        checked = content, [Rechecked(now, (3, 4), "unchanged")]
        text = render.export_markdown([render.recorded_answer(checked, MemoryCorpus({}))])
        assert said in text and ("not found" in text) is (now is lost)
        assert "not from this program here" in text and " January 2026, " in text
