"""The real command in a process of its own: what a person or a script sees."""

import json
import os
import pty
import select
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from corpus_agent.cli import main
from corpus_agent.cli.group import Commands
from indexer import UsageError
from tests.support.command import Cli
from tests.support.toy_index import copied, indexed


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    texts = {
        "a.md": "# Bread\n\nSourdough rises slowly.\n",
        "sub/b.txt": "The boiler.\x1b]52;c;aGk=\x07 \u202eevil\n",
        "c:1.txt": "one\ntwo\nthree\n",
        "p.png": b"\x89PNG\r\n\x1a\n",
    }
    return indexed(tmp_path_factory.mktemp("made"), texts, ".corpus-agent")


@pytest.fixture
def project(made: Path, tmp_path: Path) -> Path:
    """A project with two notes and an index made without weights: enough for all but search."""
    copied(made, tmp_path, ".corpus-agent")
    return tmp_path


def one_object(done: "subprocess.CompletedProcess[str]") -> dict:
    """The single JSON object on stdout."""
    content = json.loads(done.stdout)
    assert content["schema_version"] in (1, 2)
    return content


def problem(done: "subprocess.CompletedProcess[str]", code: int) -> str:
    """The message and hint on stderr, for an error that is explained and not a traceback."""
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("Error: ")
    return done.stderr


@pytest.mark.slow
def test_read_prints_the_lines_that_were_asked_for(cli: Cli, project):
    assert cli("read", "a.md").stdout == "# Bread\n\nSourdough rises slowly.\n"
    assert cli("read", "a.md:3").stdout == "Sourdough rises slowly.\n"
    as_shown = "c:1.txt:2-2,", "page", "7"  # needs no quotation marks
    assert cli("read", "c:1.txt:2:1").stdout == cli("read", *as_shown).stdout == "two\n"
    assert "has lines alone, no pages." in problem(cli("read", "a.md", "--page", "2"), 1)
    assert "is not in the index" in problem(cli("read", "a.md:0"), 1)
    window = one_object(cli("read", "a.md:1:2", "--json"))
    assert (window["lines"], window["next_offset"], window["total"]) == (["# Bread", ""], 3, 3)


@pytest.mark.slow
def test_the_plan_is_printed_and_nothing_is_done(cli: Cli, tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("x")
    os.mkfifo(tmp_path / "docs/pipe")
    done = cli("index", "docs", "--dry-run")
    assert done.stdout == (
        "add    a.md\nrecord pipe (special)\n0 unchanged; 1 file, 1 byte to index\n"
    )
    assert one_object(cli("index", "docs", "--dry-run", "--json"))["plan"]["add"] == ["a.md"]
    assert not (tmp_path / ".corpus-agent").exists()


@pytest.mark.slow
def test_indexing_asking_and_searching_work_from_end_to_end(cli: Cli, tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/oven.md").write_text("# Oven\n\nThe bread bakes at 230 °C for 40 minutes.\n")
    (tmp_path / "docs/empty.txt").write_text("")
    first = one_object(cli("index", "docs", "--json"))["index"]
    assert (first["added"], first["chunks"], first["embedded"]) == (1, 1, 1)
    assert first["empty"] == [
        {"source": "empty.txt", "reason": "no_bytes", "detail": "the file is empty"}
    ]
    again = one_object(cli("index", "--json"))["index"]
    assert (again["unchanged"], again["embedded"], again["version"]) == (1, 0, first["version"])
    found = one_object(cli("search", "how hot is the oven", "--json"))["results"][0]
    assert (found["source"], found["line_start"], found["stale"]) == ("oven.md", 1, False)
    question = "At what temperature does the bread bake?"
    done = cli("ask", question, "--llm", "none", "--strict-answer", "--json")
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["status"]) in ((0, "answered"), (0, "likely"), (6, "perhaps"))
    citation = answer["passages"][0]["citation"]
    assert (citation["n"], citation["source"], citation["verdict"]) == (1, "oven.md", "verified")
    assert (citation["line_start"], citation["line_end"], citation["hidden"]) == (3, 3, False)
    assert citation["quote"] == "The bread bakes at 230 °C for 40 minutes."
    assert {name: count for name, count in answer["coverage"].items() if count} == {
        "indexed": 1, "empty": 1, "blank": 1,
    }  # fmt: skip
    (tmp_path / "docs/loaf.md").write_text(
        "# Rolls\n\nRolls bake at a temperature of 210 °C, as bread does.\n"
    )
    cli("index")
    (tmp_path / "docs/oven.md").write_text("# Oven\n\nThe bread bakes at 250 °C for 40 minutes.\n")
    changed = "Changed or gone since the index was made: {}. Run: corpus-agent index\n"
    assert changed.format("oven.md") in cli("ask", question, "--llm", "none").stdout
    with (tmp_path / "docs/loaf.md").open("a") as file:  # what is quoted still stands in it
        file.write("Turn them once.\n")
    said = cli("ask", question, "--llm", "none").stdout
    assert "loaf.md:3" in said and changed.format("oven.md, loaf.md") in said
    assert changed.format("loaf.md") in cli("search", "rolls bake", "-k", "1").stdout
    for words, missing in (("rolls bake", []), ("polar bears", ["polar bears"])):
        assert one_object(cli("search", f'"{words}"', "--json"))["missing"] == missing
    said = cli("search", '"polar bears"').stdout
    assert said.startswith("No passage was found with “polar bears”, and none is near.\n")
    assert "\n1. " not in said
    assert "No passage was found with “glimmerfin”" in cli("search", "glimmerfin").stdout
    said = cli("search", '"bread rises"').stdout
    assert said.startswith("No passage was found with “bread rises”. The nearest:\n\n1. oven.md:3")
    assert list(Path(os.environ["HOME"]).iterdir()) == []  # nothing outside the store
    for typed in (["-s", "docs"], ["-s", "docs", "--trust-store"]):
        said = cli("search", "rolls bake", *typed).stdout
        assert f"Run: corpus-agent {' '.join(typed)} index\n" in said


@pytest.mark.slow
def test_strict_turns_a_failed_file_into_an_exit_code(cli: Cli, tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/broken.pdf").write_bytes(b"%PDF-1.4 cut")
    (tmp_path / "docs/a.txt").write_text("bread")
    done = cli("index", "docs", "--strict")
    assert done.returncode == 4
    assert "broken.pdf" in done.stdout + done.stderr
    again = cli("index", "docs", "--strict")
    assert (again.returncode, "broken.pdf" in again.stdout) == (4, True)  # though nothing changed
    assert cli("index").returncode == 0


@pytest.mark.slow
def test_a_field_whose_type_is_guessed_wrongly_shows_what_stands_at_its_label(cli: Cli, tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("Period of insurance: 1 March 2025 to 28 February 2026\n")
    cli("index", "docs")
    assert "1 March 2025 to 28 February 2026" in cli("table", "period of insurance").stdout
    listed = cli("list", "period of insurance contains 2026").stdout
    assert "fulfilled in 1 of 1 document" in listed


@pytest.mark.slow
def test_every_command_that_reads_says_that_the_seal_is_enforced(cli: Cli, project):
    for command in (["files"], ["status"], ["read", "a.md"], ["index", "--dry-run"]):
        done = cli(*command, "--json")
        assert (one_object(done)["seal"], done.stderr) == ("enforced", "")


def test_without_the_seal_every_object_is_stamped_and_a_warning_printed(cli: Cli, project):
    done = cli("--unsealed", "status", "--json")
    assert one_object(done)["seal"] == "off"
    assert done.stderr.count("\n") == 1
    assert "without the seal" in done.stderr
    # It is typed each time: no variable of any name says it.
    variables = dict.fromkeys(("CORPUS_AGENT_UNSEALED", "CORPUS_AGENT_SEAL_OFF", "UNSEALED"), "1")
    assert one_object(cli("status", "--json", env=variables))["seal"] == "enforced"
    assert [option.envvar for option in main.params if option.name == "unsealed"] == [None]


class Terminal:
    """A real pseudo-terminal with the command behind it."""

    def __init__(self, *arguments: object) -> None:
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execv(sys.executable, [sys.executable, "-m", "corpus_agent", *map(str, arguments)])
        self.seen = ""

    def wait_for(self, text: str, seconds: float = 90) -> str:
        """What was printed up to `text`."""
        deadline = time.monotonic() + seconds
        while text not in self.seen:
            assert time.monotonic() < deadline, f"never saw {text!r} in {self.seen!r}"
            if select.select([self.fd], [], [], 0.2)[0]:
                self.seen += os.read(self.fd, 4_096).decode(errors="replace")
        before, self.seen = self.seen.split(text, 1)
        return before

    def type(self, text: str) -> None:
        os.write(self.fd, text.encode())

    def exit_code(self) -> int:
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


@pytest.mark.slow
def test_control_c_stops_an_answer_and_not_the_conversation(sample_store):
    from tests.support.fakes import ScriptedModelServer, says

    with ScriptedModelServer([says("too late", delay=20)]) as server:
        terminal = Terminal("--store", sample_store, "chat", "--llm", server.server.base_url)
        terminal.wait_for("> ")
        terminal.type("What is the deposit?\n")
        deadline = time.monotonic() + 60
        while not server.requests and time.monotonic() < deadline:
            time.sleep(0.05)
        assert server.requests
        os.kill(terminal.pid, signal.SIGINT)
        terminal.wait_for("Stopped.")
        terminal.wait_for("> ")
        terminal.type("/help\n")
        terminal.wait_for("Ctrl-C stops an answer")
        terminal.wait_for("> ")  # typed earlier, an end of input would go to nobody
        terminal.type("\x04")
        assert terminal.exit_code() == 0


def test_a_command_of_another_name_is_answered_with_ours():
    for typed, said in (
        ("find", "Did you mean corpus-agent search?"),
        ("serach", "Did you mean corpus-agent search?"),
        ("rm", "Did you mean corpus-agent forget?"),
        ("Index", "Did you mean corpus-agent index?"),
        ("watch", "watch is now: corpus-agent index --watch\n"),
        ("xyzzy", "There is no command 'xyzzy'.\nAll commands: corpus-agent --help\n"),
    ):
        done = CliRunner().invoke(main, [typed, "x"])
        assert (done.exit_code, said in done.stderr) == (2, True), done.stderr


@pytest.mark.slow
def test_of_a_run_into_a_pipe_the_last_lines_alone_are_printed_with_commands_that_work(
    cli: Cli, tmp_path
):
    notes, here = tmp_path / "notes", tmp_path / "here"
    here.mkdir()
    notes.mkdir()
    (notes / "a.md").write_text("Bread.")
    for number in range(4):
        (notes / f"{number}.pdf").write_bytes(b"%PDF-1.4 cut")
    done = cli("index", "../notes", cwd=here)
    first, unread, asked = done.stdout.splitlines()
    assert first.startswith("1 document, 1 passage in ") and done.stderr == ""
    said, _, listed = unread.partition(": ")
    assert said == "4 files could not be read (4 are damaged)"
    assert cli(*shlex.split(listed)[1:], cwd=here).stdout.count("failed ") == 4
    assert asked == 'Ask with: corpus-agent -s notes ask "…"'
    shutil.rmtree(notes / ".corpus-agent")  # made anew of its own folder, wherever one stands
    assert cli("-s", "notes", "index", cwd=here).stdout.startswith("1 document")
    shutil.rmtree(notes)  # and not of another
    for named in ("notes", notes / ".corpus-agent"):
        done = cli("-s", named, "index", cwd=here)
        assert done.returncode in (1, 2) and "notes" in done.stderr
        assert not notes.exists() and list(here.iterdir()) == []


def test_ctrl_c_ends_every_command_as_shells_count():
    group = Commands("corpus-agent")

    @group.command()
    def stopped() -> None:
        raise KeyboardInterrupt

    @group.command()
    def failed() -> None:  # the control
        raise UsageError("No.")

    given = {"stores": (), "config": None, "all_stores": False, "unsealed": False}
    given["flags"] = {"model": None, "trust_store": False}
    done = CliRunner().invoke(group, ["stopped"], obj=given)
    assert (done.exit_code, done.output) == (130, "Stopped.\n")
    assert CliRunner().invoke(group, ["failed"], obj=given).exit_code == 2
