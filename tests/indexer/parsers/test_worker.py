"""Parser processes: what they may not do, what they may cost, and that one file pays for it."""

import json
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import indexer
from indexer.errors import UnreadableDocument
from indexer.parsers import protocol
from indexer.parsers.limits import DocumentLimits
from indexer.parsers.worker import Worker, in_order
from indexer.records import Line
from tests.attacks import obeying_worker
from tests.attacks.obeying_worker import do
from tests.support.parsing import OBEYING, lines, read, reason
from tests.support.pdfs import pdf_of
from tests.support.places import REPOSITORY
from tests.support.processes import gone, runs
from tests.support.sealed_child import python

pytestmark = pytest.mark.slow


def unconfined(data: bytes) -> list[str]:
    """What the same order gives in a process that nothing confines: this one."""
    return [line.text for line in obeying_worker.parse(data, "a.txt").lines]


@pytest.fixture
def worker() -> Iterator[Worker]:
    with closing(Worker(OBEYING)) as worker:
        yield worker


@pytest.fixture
def make_worker() -> Iterator[Callable[..., Worker]]:
    made: list[Worker] = []

    def make(**limits: float) -> Worker:
        made.append(Worker(OBEYING, lambda _: DocumentLimits(**limits)))
        return made[-1]

    yield make
    for worker in made:
        worker.close()


# -- what a worker gives ---------------------------------------------------------------------------


def test_a_worker_gives_what_the_extractors_give(worker):
    text = read(worker, b"# Brot\n\nSauerteig geht langsam auf.\n")
    assert list(protocol.decoded(text.encoding)) == [
        Line("# Brot"),
        Line(""),
        Line("Sauerteig geht langsam auf."),
    ]
    assert (text.extractor, text.lines, text.complete) == ("text/2", 3, True)


def test_a_document_without_text_has_the_extractors_reason(worker):
    with pytest.raises(UnreadableDocument, match="no_text") as caught:
        read(worker, b"...\n")
    assert caught.value.extractor == "text/2"


place = st.one_of(st.none(), st.integers(1, 2**31 - 1))
characters = st.characters(exclude_characters="\n\r\0", exclude_categories=["Cs"])
texts = st.text(characters, max_size=30)
parts = st.one_of(st.none(), st.text(characters, max_size=9))
shares = st.one_of(st.none(), st.floats(0, 1))
some_lines = st.builds(Line, texts, place, parts, st.booleans(), shares)


@given(st.lists(some_lines, min_size=1), st.integers(0, 30))
def test_lines_come_out_of_the_wire_as_they_went_in(some, cut):
    encoding = protocol.encoded(some) + (protocol.encoded(some[cut:]) if some[cut:] else b"")
    assert list(protocol.decoded(encoding)) == [*some, *some[cut:]]
    assert protocol.checked(encoding)[0] == len(some) + len(some[cut:])


@given(st.binary(max_size=60), st.data())
def test_no_bytes_make_anything_but_lines_or_an_error(noise, data):
    encoding = protocol.encoded([Line("one", 1), Line("two", 1), Line("three", 2)])
    at = data.draw(st.integers(0, len(encoding)))
    sent = encoding[:at] + noise + encoding[at + len(noise) :]
    with suppress(protocol.Malformed):
        number, *_ = protocol.checked(sent)
        assert len(list(protocol.decoded(sent))) == number


def test_what_no_extractor_gives_is_not_taken_from_a_worker():
    texts = ("a\nb", "a\rb", "a\0b", "x" * 2_001)
    wrong = [Line(text) for text in texts] + [Line("a", page) for page in (0, "1", 1.0, True)]
    wrong += [Line("a", part=1), *(Line("a", hidden=value) for value in (None, 1, "yes"))]
    shares = (1, -0.1, 1.1, float("nan"), float("inf"), True, "1.0")
    wrong += [Line("a", confidence=share) for share in shares]
    for line in wrong:
        with pytest.raises(protocol.Malformed):
            print(line, protocol.checked(protocol.encoded([line])))


# -- what a worker may not do ----------------------------------------------------------------------


def test_a_worker_holds_neither_store_nor_model_nor_agent(worker):
    read(worker, pdf_of("words"))  # with a parser loaded
    modules = set(lines(worker, do("modules")))
    assert "pypdfium2" in modules
    for name in ("lancedb", "pyarrow", "numpy", "torch", "sentence_transformers", "corpus_agent"):
        assert not any(module.split(".")[0] == name for module in modules), name
    assert not modules & {"indexer.store", "indexer.embed", "indexer.chunk"}


HERE = Path(indexer.__path__[0])
# Every call of a parser's table is asked for in test_kernel_answers.
FORBIDDEN = {  # an order, the errno of it in a worker, and how the answer begins in this process
    "a document": ("open", {"path": "{tmp}/a.txt"}, "EACCES", "read"),
    "a test": ("open", {"path": __file__}, "EACCES", "read"),
    "the users": ("open", {"path": "/etc/passwd"}, "EACCES", "read"),
    "a folder": ("list", {"path": "{tmp}"}, "EACCES", ""),
    "home": ("list", {"path": str(Path.home())}, "EACCES", ""),
    "a new file": ("write", {"path": "{tmp}/new.txt"}, "EACCES", "done"),
    "the program": ("write", {"path": str(HERE / "new.py")}, "EACCES", None),
    "nowhere": ("write", {"path": "/dev/null"}, "EACCES", "done"),
    "a socket": ("socket", {"family": socket.AF_INET}, "EPERM", "done"),
    "a program": ("execute", {}, "EPERM", "done"),
}


def test_what_is_done_here_is_refused_in_a_worker(worker, tmp_path):
    (tmp_path / "a.txt").write_text("words")
    failing = []
    for what, (action, values, refused, free) in FORBIDDEN.items():
        order = do(action, **values).replace(b"{tmp}", str(tmp_path).encode())
        if (met := lines(worker, order)) != [refused]:
            failing.append((what, met))
        if free is not None and not "".join(unconfined(order)).startswith(free):
            failing.append((what, "the control"))
    assert failing == []
    assert lines(worker, do("open", path=str(HERE / "errors.py")))[0].startswith("read")


def test_a_worker_is_not_told_the_environment(worker, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    environment = lines(worker, do("environment"))
    assert "LC_ALL=C.UTF-8" in environment
    assert not any("secret" in line for line in environment)
    assert any("secret" in line for line in unconfined(do("environment")))


def sent(**values: object) -> bytes:
    """The order to answer with these values."""
    data = json.dumps(values).encode()
    return do("send", frame=(struct.pack("=II", len(data), 0) + data).hex())


# -- what a document may cost ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (do("crash"), "crashed"),
        (do("crash", number=signal.SIGABRT), "crashed"),
        (do("fail", words="nobody expected this"), "crashed"),
        (do("spin"), "timeout"),
        (do("memory", mib=2_000), "memory"),
        (do("endless", words="x" * 100, extractor="rtf/1"), "output"),
        (do("endless", words="x", extractor="rtf/1"), "output"),
        (do("send", frame="ffffffff" + "00000000"), "crashed"),
        (do("send", frame="02000000" + "ffffffff"), "crashed"),
        (do("send", frame="02000000" + "00000000" + b"[]".hex()), "crashed"),
        (do("send", frame="00000100" + "00000000" + (b"[" * 65_536).hex()), "crashed"),
        (sent(unreadable="\x1b[2J is the reason", detail="", waiting=0), "crashed"),
        (sent(unreadable="malformed", detail="x" * 1_001, waiting=0), "crashed"),
        (sent(unreadable="malformed", detail="", waiting=-1), "crashed"),
        (sent(unreadable="malformed", detail="", waiting=0, extractor="\x1b]0;x\x07/1"), "crashed"),
        (sent(title="no extractor"), "crashed"),
    ],
    ids=[
        *("segv", "abort", "exception", "spin", "memory", "characters", "lines"),
        *("long values", "long body", "odd values", "deep values"),
        *("odd reason", "long detail", "odd count", "odd label", "no label"),
    ],
)
def test_a_document_that_costs_too_much_costs_itself(make_worker, order, expected):
    worker = make_worker(
        memory_bytes=512 * 2**20, cpu_seconds=1, text_chars=5_000_000, text_lines=100_000
    )
    assert reason(worker, order) == expected
    assert lines(worker, b"the next one\n") == ["the next one"]
    assert reason(worker, order) == expected  # also of a worker that has done good work
    assert lines(worker, b"the next one\n") == ["the next one"]


def test_a_parser_that_waits_without_end_is_ended(make_worker):
    worker = make_worker(wall_seconds=0.5)
    started = time.monotonic()
    assert reason(worker, do("wait")) == "timeout"
    assert time.monotonic() - started < 30
    assert lines(make_worker(), b"the next one\n") == ["the next one"]


def test_at_its_limit_a_document_is_read(make_worker):
    worker = make_worker(text_lines=3, text_chars=12)
    assert lines(worker, b"abc\nabc\nabc\n") == ["abc"] * 3
    for past in (b"abcd\nabc\nabc\n", b"a\nb\nc\nd\n"):
        with pytest.raises(UnreadableDocument, match=r"output: more than (3 lines|12 characters)"):
            read(worker, past)


def test_plain_text_beyond_the_limit_is_read_to_it_and_says_so(make_worker):
    log = b"".join(b"%09d\n" % number for number in range(60_000))  # three batches
    text = read(make_worker(text_lines=45_000), log)
    assert (text.lines, text.complete) == (40_000, True)
    assert text.remark == "more than 45,000 lines: the first 40,000 lines are read"
    *_, last = protocol.decoded(text.encoding)
    assert last.text == "000039999"
    whole = read(make_worker(text_lines=60_000), log)
    assert (whole.lines, whole.remark) == (60_000, "")  # the control
    with pytest.raises(UnreadableDocument, match="output: more than 45,000 lines"):
        read(make_worker(text_lines=45_000), b"<html><p>" + log.replace(b"\n", b"<br>"))


def test_a_document_does_not_pay_for_the_one_before(worker):
    first = lines(worker, do("process"))
    assert lines(worker, do("process")) == first
    assert lines(worker, do("crash", unless_fresh=True)) == ["done"]
    assert lines(worker, do("process")) != first


def test_a_worker_is_replaced_before_it_grows_old(monkeypatch):
    monkeypatch.setattr("indexer.parsers.process.DOCUMENTS_PER_PROCESS", 3)
    with closing(Worker(OBEYING)) as worker:
        processes = [lines(worker, do("process"))[0] for _ in range(7)]
    assert [processes.count(pid) for pid in dict.fromkeys(processes)] == [3, 3, 1]


def test_what_a_file_says_of_itself_is_checked_like_the_rest(worker):
    text = read(worker, do("say", words="x", author="a\n\tb\0", date="2024-03-12"))
    assert (text.author, text.date) == ("a b", "2024-03-12")
    for wrong in ({"date": "2024-02-30"}, {"date": "soon"}, {"author": "a" * 2_000}):
        with pytest.raises(UnreadableDocument, match="crashed: sent"):
            read(worker, do("say", words="x", **wrong))
    for wrong in ({"author": 7}, {"date": ["2024-03-12"]}, {"date": None}):
        with pytest.raises(UnreadableDocument, match="crashed: sent"):
            read(worker, do("say", words="x", **wrong))


# -- processes that end ----------------------------------------------------------------------------


_PARENT = """
import os, sys
from pathlib import Path
sys.path.insert(0, {repository!r})
from indexer.parsers.worker import Worker
from indexer.parsers.protocol import decoded
from tests.attacks.obeying_worker import do
if {seal}:
    from corpus_agent.seal import policy, seal
    seal(policy(Path(sys.argv[1]), None, read=[Path({repository!r}) / "tests"]))
worker = Worker("tests.attacks.obeying_worker")
def read(data):
    descriptor = os.memfd_create("x")
    os.write(descriptor, data)
    return worker.read(descriptor, "a.txt")
print(next(decoded(read(do("process")).encoding)).text, flush=True)
if {busy}:
    read(do("spin"))
sys.stdin.read()
"""


@pytest.mark.parametrize("busy", [True, False], ids=["busy", "idle"])
@pytest.mark.parametrize("seal", [True, False], ids=["sealed", "unsealed"])
def test_a_worker_ends_with_a_parent_that_was_killed(tmp_path, seal, busy):
    script = _PARENT.format(repository=str(REPOSITORY), seal=seal, busy=busy)
    with subprocess.Popen(
        [sys.executable, "-c", script, tmp_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout
        child = int(parent.stdout.readline())
        time.sleep(0.2)
        assert runs(child)  # the control
        parent.kill()
        parent.wait()
        assert gone(child)


def test_a_sealed_parent_ends_a_parser_that_waits(tmp_path):
    outcome = python(
        f"""
        sys.path.insert(0, {str(REPOSITORY)!r})
        from indexer.parsers.limits import DocumentLimits
        from indexer.parsers.worker import Worker
        from tests.attacks.obeying_worker import do
        from tests.support.parsing import OBEYING, lines, reason
        from corpus_agent.seal import policy, seal
        seal(policy(Path(sys.argv[1]), None, read=[Path({str(REPOSITORY)!r}) / "tests"]))
        worker = Worker(OBEYING, lambda _: DocumentLimits(wall_seconds=5))
        pid = lines(worker, do("process"))[0]
        outcome["reason"] = reason(worker, do("wait"))
        outcome["next"] = lines(worker, b"the next one")
        outcome["another"] = lines(worker, do("process"))[0] != pid
        worker.close()
    """,
        tmp_path,
    )
    assert outcome == {"reason": "timeout", "next": ["the next one"], "another": True}


def test_stopping_ends_a_busy_worker_at_once_and_for_good(worker):
    import threading

    pid = int(lines(worker, do("process"))[0])
    timer = threading.Timer(0.3, worker.stop)
    timer.start()
    with pytest.raises(UnreadableDocument, match="interrupted"):
        while True:
            with pytest.raises(UnreadableDocument):
                read(worker, do("wait"))
            read(worker, b"words")
    timer.join()
    assert gone(pid)


# -- several at work -------------------------------------------------------------------------------


def test_results_come_in_order_whatever_is_ready_first():
    def task(_: Worker, number: int) -> int:
        time.sleep(0.05 if number % 7 == 0 else 0)
        return number * number

    with in_order(task, range(50), [0] * 50, Worker, 4) as results:
        assert list(results) == [number * number for number in range(50)]


def test_what_a_task_raises_is_raised_to_the_taker():
    def task(_: Worker, number: int) -> int:
        if number == 20:
            raise LookupError("number 20")
        return number

    with (
        pytest.raises(LookupError, match="number 20"),
        in_order(task, range(50), [0] * 50, Worker, 2) as results,
    ):
        list(results)
