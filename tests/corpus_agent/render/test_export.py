"""Answers as files: everything is in them, and nothing in them acts."""

import pytest
from markdown_it import MarkdownIt

from corpus_agent import render
from corpus_agent.answering.receipt import Rechecked
from corpus_agent.answering.records import Answer, Citation
from indexer.records import Coverage
from tests.attacks.injection.leaks import live_markup
from tests.support.fakes import MemoryCorpus, passages

HOSTILE = (
    "</blockquote></title><script>alert(1)</script><img src=http://evil.example/x onerror=alert(1)>"
    " ![x](http://evil.example/y) [z](javascript:alert(1)) \x1b[31m\u202e {0} {answers} & \"q\" 'r'"
)


def answer(text: str = "It is due on the first day [1].", quote: str = "due on the first day"):
    citation = Citation(1, text if text == HOSTILE else "lease.pdf", 7, 3, 4, quote, "verified")
    question = HOSTILE if text == HOSTILE else "When is it due?"
    coverage = Coverage(indexed=3, failed=1)
    notices = ("A notice.", *([HOSTILE] if text == HOSTILE else []))
    return Answer(question, text, "perhaps", "extractive", passages(citation), coverage, 1, notices)


def test_a_file_holds_the_question_the_answer_and_where_it_is_from():
    text = render.export_markdown([answer()])
    for words in (
        *("When is it due?", "perhaps", "It is due on the first day [1]."),
        *("lease.pdf, page 7", "due on the first day", "A notice."),
        *("3 documents searched, 1 could not be read",),
    ):
        assert words in text


def test_nothing_in_the_markdown_is_live():
    text = render.export_markdown([answer(HOSTILE, HOSTILE)])
    assert not live_markup(text)
    assert live_markup(HOSTILE)  # the control
    assert "\x1b" not in text


@pytest.mark.parametrize(
    "words",
    ["lease.com.md", "www.evil.com", "eve@evil.com", "https://evil.com/a", "update.sh"],
)
def test_a_viewer_that_links_bare_addresses_finds_none_in_the_markdown(words):
    linked = MarkdownIt("gfm-like", {"linkify": True}).render
    citation = Citation(1, words, None, 3, 4, f"see {words} for it", "verified", heading=words)
    shown = Answer(
        words, f"See {words} [1].", "likely", "toy", passages(citation), Coverage(), 1, (words,)
    )
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
        kept = render.export_markdown([answer(text, "see https://evil.example <img src=x>")] * 2)
        assert heads(kept) == ["h1", "h1"], text
        assert not live_markup(kept), text


@pytest.mark.parametrize("holds", [True, False])
def test_a_receipt_is_written_as_it_stands_today(holds):
    now = answer().citations[0]
    if not holds:
        now = Citation(1, "lease.pdf", None, 0, 0, "", "not_found")
    content = {
        "question": "When is it due?",
        "answer": "It is due [1].",
        "status": "answered",
        "started": "2026-01-02T03:04:05Z",
        "answerer": "extractive",
    }
    checked = content, [Rechecked(now, (3, 4), "unchanged")]
    text = render.export_markdown([render.recorded_answer(checked, MemoryCorpus({}))])
    assert ("still stands" if holds else "no longer stands") in text
    assert "not from this program here" in text and ("not found" in text) is not holds
    assert "2026-01-02T03:04:05Z" in text
