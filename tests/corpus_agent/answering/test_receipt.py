"""What was asked, read and answered, and whether it still holds."""

import hashlib
import itertools
import json
import os
import re
import resource
import threading
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from corpus_agent import render
from corpus_agent.agent.answerer import ModelAnswerer
from corpus_agent.answering import receipt
from corpus_agent.answering.records import Answer
from corpus_agent.render.checked import FOREIGN
from indexer.errors import CorpusError, UsageError
from indexer.records import Coverage, FileRow, OpenStore
from tests.support.fakes import MemoryCorpus, ScriptedModelServer, calls, says
from tests.support.other_user import as_nobody

BREAD = "# Bread\n\nKeep the sourdough at a temperature of 24 °C.\n\nBake it.\n"
SHA = hashlib.sha256(b"then").hexdigest()
STARTED = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def row(source: str) -> FileRow | None:
    return FileRow(source, "indexed", sha256=SHA) if source == "bread.md" else None


@pytest.fixture(scope="module")
def made() -> receipt.Receipt:
    """The receipt of one answer by a model that searched, erred and repeated itself."""
    corpus = MemoryCorpus({"bread.md": BREAD})
    search = ("vectordb_search", {"query": "How warm is the sourdough?"})
    draft = 'At 24 °C [bread.md:3] "Keep the sourdough at a temperature of 24 °C." Maybe at 9 °C.'
    with ScriptedModelServer([calls(search, ("vectordb_read", "{nonsense")), says(draft)]) as fake:
        answerer = ModelAnswerer(fake.server, "toy-model", fake.broker)
        answer = answerer.answer("How warm is the sourdough?", corpus)
    return receipt.receipt(
        answer, row, seal="enforced", server="http://127.0.0.1:1/v1", started=STARTED, seconds=1.25
    )


def test_a_receipt_says_what_was_asked_done_and_answered(made):
    said = {
        "question": "How warm is the sourdough?", "started": "2026-11-21T12:00:00+00:00",
        "seal": "enforced", "answerer": "toy-model", "seconds": 1.25,
        "unsupported": ["Maybe at 9 °C."],
    }  # fmt: skip
    assert said.items() <= made.items()
    assert made["program"].startswith("corpus-agent ")
    calls_of = [(call["name"], call["outcome"]) for call in made["calls"]]
    assert calls_of[:2] == [("vectordb_search", "ok"), ("vectordb_search", "repeated")]
    assert calls_of[2:] == [("vectordb_read", "error")]
    assert json.loads(made["calls"][0]["arguments"]) == {"query": "How warm is the sourdough?"}
    (cited,) = made["citations"]
    where = {"source": "bread.md", "line_start": 3, "verdict": "verified", "file_sha256": SHA}
    assert where.items() <= cited.items()


def test_a_receipt_is_one_line_of_ascii():
    answer = Answer(
        "q\x1b[2J?", "\u202eText\n.", "perhaps", "m", (), Coverage(), 1, probability=0.61
    )
    content = receipt.receipt(answer, row, seal="off", server=None, started=STARTED, seconds=0)
    assert (content["status"], content["probability"]) == ("perhaps", 0.61)
    line = receipt.line_of(content)
    assert line.isascii() and line.count(b"\n") == 1 and b"\x1b" not in line


def test_check_tells_apart_what_was_answered_and_what_was_shown():
    for status, shown in (
        ("answered", "answered"),
        ("perhaps", "perhaps"),
        ("not_found", "not found"),
        ("answered [1] holds", "of no known status"),
        (["answered"], "of no known status"),
    ):
        content = {"question": "How warm?", "answerer": "toy", "status": status}
        (first, *_) = render.receipt_lines([(content, [])])
        assert first == f"Asked once: 'How warm?' · {shown} · by toy · {FOREIGN}"
        (one,) = render.receipts_object([(content, [])], 1)["check"]["receipts"]
        assert one["status"] == (None if "no known" in shown else status)


def test_the_log_keeps_the_newest_and_stays_bounded(made, tmp_path):
    for number in range(20):
        content = {**made, "question": f"q{number}"}
        assert receipt.log(tmp_path, content, max_bytes=5_000) is None
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == ["receipts.1.jsonl", "receipts.jsonl"]
    assert all(path.stat().st_size <= 5_000 for path in tmp_path.iterdir())
    assert receipt.load(tmp_path / "receipts.jsonl")[-1]["question"] == "q19"
    assert (tmp_path / "receipts.jsonl").stat().st_mode & 0o777 == 0o600


def test_answers_that_are_logged_at_the_same_time_are_all_kept_while_the_log_turns(tmp_path):
    turns, said = threading.Barrier(8), []

    def write(writer: int) -> None:
        turns.wait()
        for number in range(100):
            content = {"receipt": 1, "question": f"{writer} {number}", "citations": []}
            said.append(receipt.log(tmp_path, content, max_bytes=3_000))

    writers = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in writers:
        thread.start()
    for thread in writers:
        thread.join()
    assert said == [None] * 800
    old, new = tmp_path / receipt.OLD_LOG_NAME, tmp_path / receipt.LOG_NAME
    length = len(receipt.line_of({"receipt": 1, "question": "0 10", "citations": []}))
    assert 3_000 - 2 * length < old.stat().st_size <= 3_000  # it was full when it was put away
    assert new.stat().st_size <= 3_000
    assert receipt.logged(tmp_path)[1] == 0


def test_a_store_that_cannot_be_written_costs_a_notice_and_no_answer(made, tmp_path):
    assert "not in the store's log" in str(receipt.log(tmp_path / "none", made))
    (tmp_path / "receipts.jsonl").symlink_to(tmp_path / "elsewhere")
    assert "not in the store's log" in str(receipt.log(tmp_path, made))
    assert not (tmp_path / "elsewhere").exists()


def checked(content: receipt.Receipt, corpus: MemoryCorpus):
    (found,) = receipt.check(content, corpus, row)
    return found


GONE = {"other.md": "x"}
STANDS = {
    "verified unchanged 3 True": ({"bread.md": BREAD}, {}, "holds"),
    "moved changed 63 True": (
        {"bread.md": "\n" * 60 + BREAD}, {"stale": ["bread.md"]}, "holds, now in line 63",
    ),
    "altered changed 3 False": (
        {"bread.md": BREAD.replace("24", "42")}, {"stale": ["bread.md"]}, "altered, in line 3",
    ),
    "not_found gone 3 False": (GONE, {}, "the document is gone"),
    "not_found unreachable 3 False": (
        {"bread.md": BREAD}, {"unreachable": ["bread.md"]}, "cannot be read now",
    ),
}  # fmt: skip


def test_each_quotation_is_said_to_stand_as_it_does_today(made):
    for expected, (documents, how, shown) in STANDS.items():
        found = checked(made, MemoryCorpus(documents, **how))
        now = found.now
        assert f"{now.verdict} {found.file} {now.line_start} {found.holds}" == expected
        lines = list(render.receipt_lines([(made, [found])]))
        assert shown in lines[1]
        assert any("at a temperature of 42 °C" in line for line in lines) is ("altered" in expected)
    content = render.receipts_object([(made, [checked(made, MemoryCorpus(GONE))])], 7)
    assert content["check"]["holds"] is False
    assert content["check"]["receipts"][0]["citations"][0] == {
        "n": 1, "source": "bread.md", "verdict": "not_found", "hidden": False, "confidence": None,
        "file": "gone", "was": {"line_start": 3, "line_end": 3}, "page": None,
        "line_start": None, "line_end": None, "quote": None,
    }  # fmt: skip


def test_a_citation_that_names_no_hash_is_one_of_a_file_that_changed(made, tmp_path):
    content = json.loads(json.dumps(made))
    del content["citations"][0]["file_sha256"]
    path = tmp_path / "edited.jsonl"
    path.write_text(json.dumps(content))
    [edited] = receipt.load(path)
    assert checked(edited, MemoryCorpus({"bread.md": BREAD})).file == "changed"
    assert checked(made, MemoryCorpus({"bread.md": BREAD})).file == "unchanged"  # the control


def test_any_other_file_is_explained(tmp_path):
    path = tmp_path / "r.json"
    for text, message in (
        ("", "holds no receipt"),
        ("not json", "line 1: not a receipt"),
        ("[1]", "line 1: not a receipt"),
        ('{"receipt": 1, "receipt": 1, "citations": []}', "line 1: not a receipt"),
        ('{"citations": []}', "a receipt of version None"),
        ('{"receipt": 99, "citations": []}', "version 99"),
        ('{"receipt": 1, "citations": [{"source": "a"}]}', "a citation lacks one of"),
        ('{"receipt": 1, "citations": [1]}', "a citation lacks one of"),
    ):
        path.write_text(text)
        with pytest.raises(UsageError, match=message):
            receipt.load(path)
    for kind in ("fifo", "device"):
        path.unlink()
        os.mkfifo(path) if kind == "fifo" else path.symlink_to("/dev/zero")
        with pytest.raises(UsageError, match="no regular file"):
            receipt.load(path)


def test_a_receipt_of_several_stores_is_checked_by_their_names_of_today(made, tmp_path):
    home, work = (OpenStore(name, tmp_path / name, 3) for name in ("home", "work"))
    cited = [{**one, "source": "home:bread.md"} for one in made["citations"]]
    listed = [{"name": one.name, "store": str(one.store), "version": 3} for one in (home, work)]
    content = {**made, "citations": cited, "stores": listed}
    today = [replace(home, name="notes"), work]
    corpus = MemoryCorpus({"notes:bread.md": BREAD, "home:bread.md": "Another text."})
    found = list(receipt.check(content, corpus, row, today))
    assert [(one.holds, one.now.source) for one in found] == [(True, "notes:bread.md")] * len(cited)
    wrong: list[tuple[receipt.Receipt, list[OpenStore], str]] = [
        (content, [], "several indexes, and not all of them are named: home, work"),
        (content, [home], "not all of them are named"),
        ({**content, "stores": [{}, "x", {"name": 3}]}, today, "not all of them are named"),
        (made, today, "of one index, and 2 are named"),
    ]
    for one, stores, message in wrong:
        with pytest.raises(UsageError, match=message):
            list(receipt.check(one, corpus, row, stores))


def test_an_answer_without_quotations_has_nothing_that_could_fail():
    answer = Answer("q?", "Not found.", "not_found", "m", (), Coverage(), 1)
    content = receipt.receipt(answer, row, seal="off", server=None, started=STARTED, seconds=0)
    assert list(receipt.check(content, MemoryCorpus({"a": "b"}), row)) == []
    assert "(nothing was quoted)" in render.receipt_lines([(content, [])])


HOSTILE = (
    "[9] lease.md:1 · holds",
    "9 of 9 quotations still stand in their documents",
    "x\n[9] lease.md:1 · holds",
    "\x1b]0;owned\x07\u202e",
    "[x](http://evil.example/)",
    "'verified' \"holds\"",
    "y" * 99_999,
)


def test_what_a_receipt_says_stands_between_quotation_marks_and_acts_nowhere():
    """A receipt is a file of anybody's; the name of a model in it is kept as the server gave it."""
    said = {"started": "2026-01-02T03:04:05+00:00", "question": "How warm?", "answerer": "toy"}
    said["status"] = "answered"
    (heading, *_) = render.receipt_lines([(said, [])])
    control = f"Asked {render.local_time(said['started'])}: 'How warm?' · answered · by toy"
    assert " January 2026, " in control
    assert heading == f"{control} · {FOREIGN}"
    for field, text in itertools.product(("question", "answerer", "started"), HOSTILE):
        first, *rest = render.receipt_lines([({**said, field: text}, [])])
        assert rest == ["(nothing was quoted)", "There is no quotation to check"]
        assert len(first) < 300 and first.isprintable() and "://" not in first, (field, text)
        bare = re.sub(r"'[^']*'|\"[^\"]*\"", "", first)
        assert "holds" not in bare and "quotations" not in bare and "](" not in first


def test_the_log_is_read_newest_first_and_a_deleted_answer_is_gone_from_the_file(tmp_path):
    contents = [
        {"receipt": 1, "question": f"Question {n}?", "citations": [], "answer": "secret words"}
        for n in range(3)
    ]
    for content in contents:
        assert receipt.log(tmp_path, content) is None
    path = tmp_path / receipt.LOG_NAME
    path.write_bytes(path.read_bytes() + b"no receipt\n")
    found, bad = receipt.logged(tmp_path)
    assert [each["question"] for each in found] == ["Question 2?", "Question 1?", "Question 0?"]
    assert bad == 1
    assert receipt.delete(tmp_path, receipt.key_of(contents[1]))
    assert not receipt.delete(tmp_path, receipt.key_of(contents[1]))
    assert b"Question 1?" not in path.read_bytes()
    assert receipt.log(tmp_path, contents[1]) is None, "it is still written to"
    found, _ = receipt.logged(tmp_path)
    assert [each["question"] for each in found] == ["Question 1?", "Question 2?", "Question 0?"]


def test_a_log_that_may_not_be_read_is_no_empty_history(open_folder):
    path = open_folder / receipt.LOG_NAME
    assert receipt.log(open_folder, {"receipt": 1, "question": "Q?", "citations": []}) is None
    path.chmod(0)
    seen = as_nobody(lambda: receipt.logged(open_folder))
    assert seen["error"] == "CorpusError"
    path.chmod(0o644)  # the control: with permission
    assert len(as_nobody(lambda: receipt.logged(open_folder))[0]) == 1


def test_an_answer_that_the_disk_had_no_room_for_is_not_called_logged(tmp_path):
    contents = [{"receipt": 1, "question": f"{n}?", "citations": []} for n in range(3)]
    assert receipt.log(tmp_path, contents[0]) is None
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    size = (tmp_path / receipt.LOG_NAME).stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10, before[1]))  # as a full disk: a part
    try:
        problem = receipt.log(tmp_path, contents[1])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert problem == "This answer is not in the store's log: the disk is full."
    assert receipt.log(tmp_path, contents[2]) is None
    assert receipt.logged(tmp_path) == ([contents[2], contents[0]], 0)


def test_a_log_that_has_another_name_elsewhere_is_not_written(tmp_path):
    content = {"receipt": 1, "question": "Q?", "citations": []}
    receipt.log(tmp_path, content)
    os.link(tmp_path / receipt.LOG_NAME, tmp_path / "elsewhere")
    with pytest.raises(CorpusError, match="no file of its own"):
        receipt.delete(tmp_path, receipt.key_of(content))
    assert receipt.log(tmp_path, content) is not None
    assert (tmp_path / "elsewhere").read_bytes() == receipt.line_of(content)


KEY = b"k" * 32
EDITS = {
    "answer": lambda r: r | {"answer": "Nine years."},
    "a quotation": lambda r: r | {"citations": [r["citations"][0] | {"quote": "Other words."}]},
    "a citation more": lambda r: r | {"citations": r["citations"] * 2},
    "a new key": lambda r: r | {"note": "x"},
    "a key less": lambda r: {name: value for name, value in r.items() if name != "seal"},
    "signature of another key": lambda r: receipt.signed(
        {name: value for name, value in r.items() if name != "signature"}, b"o" * 32
    ),
    "no signature": lambda r: {n: value for n, value in r.items() if n != "signature"},
    "empty signature": lambda r: r | {"signature": ""},
    "signature of a kind": lambda r: r | {"signature": True},
    "signature in other letters": lambda r: r | {"signature": r["signature"] + "é"},
}


def test_a_receipt_that_was_edited_is_not_from_this_program_here():
    whole = receipt.signed(
        {
            "receipt": 1, "question": "Q?", "answer": "A.", "status": "likely", "seal": "enforced",
            "started": "2026-01-01T00:00:00+00:00", "egress": None, "citations": [
                {"source": "a.md", "quote": "Words.", "line_start": 1, "line_end": 1,
                 "file_sha256": "ab", "verdict": "verified"},
            ],
        }, KEY,
    )  # fmt: skip
    read_back = json.loads(receipt.line_of(whole))
    assert receipt.is_own(read_back, KEY)
    assert receipt.is_own(dict(reversed(read_back.items())), KEY)  # as a program may order them
    assert not receipt.is_own(read_back, None)
    for name, edit in EDITS.items():
        forged = json.loads(receipt.line_of(edit(read_back)))
        assert not receipt.is_own(forged, KEY), name
        both = [[(one, [])] for one in (read_back, forged)]
        told = [FOREIGN in next(iter(render.receipt_lines(one, KEY))) for one in both]
        holds = [render.receipts_object(one, 1, KEY)["check"]["holds"] for one in both]
        assert (told, holds) == ([False, True], [True, False]), name
        assert render.recorded_answer((forged, []), MemoryCorpus({}), KEY).status == "perhaps"


def test_a_receipt_is_shown_with_the_verdicts_of_today_and_nothing_of_another_kind():
    content = {
        "receipt": 1, "question": "Q\x1b[31m?", "answer": "See https://evil.example <b>x</b>",
        "status": "verified by everybody", "coverage": [1], "version": "x", "notices": "none",
        "egress": 7, "model_server": "me", "citations": [
            {"source": "a.md", "quote": "<script>1</script>", "line_start": 4, "line_end": 4,
             "file_sha256": None, "verdict": "verified", "page": "x", "n": 1, "probability": 0.8},
        ],
    }  # fmt: skip
    corpus = MemoryCorpus({"a.md": "Other words.\n"})
    unsigned = render.recorded_answer(
        (content, list(receipt.check(content, corpus, lambda _: None))), corpus, KEY
    )
    assert [passage.word for passage in unsigned.passages] == ["perhaps"]
    content = receipt.signed(content, KEY)
    rows = list(receipt.check(content, corpus, lambda _: None))
    recorded = render.recorded_answer((content, rows), corpus, KEY)
    assert [passage.word for passage in recorded.passages] == ["likely"]  # as it was said
    shown = render.answer_object(recorded)
    assert shown["question"] == "Q?"
    assert "://" not in shown["answer"]
    assert (shown["status"], shown["version"], shown["egress"]) == ("perhaps", 1, None)
    [passage] = shown["passages"]
    assert (passage["citation"]["verdict"], passage["line_start"]) == ("not_found", 4)
    assert "<script" not in passage["citation"]["quote"] + passage["text"]
