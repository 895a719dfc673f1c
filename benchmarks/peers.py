"""Indexing from files to a committed store, beside other tools with the same weights and threads.

Every run is a process of its own, timed from its start, so that imports and the loading of the
model count; "start-up" is the same run over one short note. A tool reads and cuts the files with
its own defaults ("own chunks"), or is given the chunks that corpus-agent makes and only embeds and
stores them ("our chunks"): then all embed the same text. Tokens are those that a tool's model was
given, counted with the model's tokenizer; what a tool cuts off a chunk that is longer than the
model's window is "left out".

In doubt, the peer has the benefit: its clock stops when its store is written and ours at the
exit; with our chunks it has nothing to read and nothing to cut; none of them closes itself off,
extracts in confined processes, keeps pages and lines, or (LlamaIndex, txtai as configured here)
writes a full-text index. A poor default has a second row with a better value. corpus-agent always
does all of its work.

A peer is no dependency of the project. Each has an environment of its own, see docs/benchmarks.md:

    python tests/support/offline.py benchmarks/peers.py \\
        --peer-python txtai=/venvs/txtai/bin/python \\
        --peer-python llamaindex=/venvs/llamaindex/bin/python \\
        --peer-python leann=/venvs/leann/bin/python \\
        [--set til] [--files 60] [--rounds 1] [--only WORD ...] [--quality SET ...]

`tests/support/offline.py` runs it without a network. --files 0 takes all files. --quality prints
another table instead: nDCG@10 and median time of each tool's own search over its own chunks, on the
sets of retrieval.py, in a process that has loaded all; the peer's rank of a file is that of its
best passage among the first 100, as ours is.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from statistics import mean, median
from typing import Any

from common import corpus_of, data, document_files, print_table, read_jsonl
from encode import SETS, chunk_texts, part_of
from peer_programs import PROGRAMS, asked
from retrieval import SETS as RETRIEVAL_SETS
from retrieval import documents, judgments, ndcg

from indexer.embed.folder import ModelFolder
from indexer.records import Query
from indexer.retrieve import POOL

OURS = "corpus-agent"
NOTE = "# A note\n\nOf one line.\n"
PROGRAM = Path(__file__).with_name("peer_programs.py")


@dataclass(frozen=True, eq=False)
class Way:
    """One row: a tool (`tool` names its Python), its options, and whose chunks it embeds."""

    label: str
    tool: str
    options: dict[str, Any] = field(default_factory=dict)
    own_chunks: bool = True


@dataclass(frozen=True)
class Run:
    """What one process took, in seconds by the clock and of the processors, and embedded."""

    seconds: float
    used: float
    texts: list[str]
    window: int
    version: str
    ranked: list[list[str]] = field(default_factory=list)  # files, by query
    searched: list[float] = field(default_factory=list)  # seconds, by query


def llamaindex(batch: int | None = None, window: int | None = None) -> dict[str, Any]:
    """Its defaults are 10 texts a batch, and 1,024 tokens a chunk that overlap by 200."""
    return {
        "embedding": {"embed_batch_size": batch} if batch else {},
        "splitter": {"chunk_size": window, "chunk_overlap": 20} if window else {},
    }


WAYS = (
    Way(OURS, OURS),
    Way("txtai, paragraphs", "txtai"),
    Way("txtai", "txtai", own_chunks=False),
    Way("LlamaIndex + LanceDB", "llamaindex", llamaindex()),
    Way("LlamaIndex + LanceDB, batch 64", "llamaindex", llamaindex(64)),
    Way("LlamaIndex + LanceDB, chunks of 256, batch 64", "llamaindex", llamaindex(64, 256)),
    Way("LlamaIndex + LanceDB", "llamaindex", llamaindex(), own_chunks=False),
    Way("LlamaIndex + LanceDB, batch 64", "llamaindex", llamaindex(64), own_chunks=False),
    Way("LEANN", "leann"),
    Way("LEANN", "leann", own_chunks=False),
)
SEARCHES = (
    Way("txtai", "txtai"),
    Way("txtai, hybrid", "txtai", {"hybrid": True}),
    Way("LlamaIndex + LanceDB", "llamaindex", llamaindex(64)),
    Way("LlamaIndex + LanceDB, chunks of 256", "llamaindex", llamaindex(64, 256)),
)


class ProcessFailed(Exception):
    """A run that ended with an error; the message has the end of what it printed."""


@dataclass(frozen=True)
class Bench:
    """What all runs share: a folder for what they write, the model, the Python of each tool."""

    scratch: Path
    model: ModelFolder
    pythons: dict[str, str]
    threads: int

    def run(
        self, way: Way, files: Path, chunks: Sequence[str] = (), queries: Sequence[str] = ()
    ) -> Run:
        """One process of `way` over a folder; `chunks` are what corpus-agent makes of it."""
        with tempfile.TemporaryDirectory(dir=self.scratch) as place:
            folder = Path(place)
            if way.tool == OURS:
                seconds, used, _ = self._timed(self._our_command(folder, files), folder)
                version = metadata.version(OURS)
                return Run(seconds, used, list(chunks), self.model.max_tokens, version)
            task = self._task(way, folder, files, chunks, queries)
            command = [self.pythons[way.tool], str(PROGRAM), str(task)]
            _, used, started = self._timed(command, folder)
            report = json.loads((folder / "report.json").read_text("utf-8"))
            seconds = report.pop("committed") - started
            return Run(seconds=seconds, used=used, **report)

    def _our_command(self, folder: Path, files: Path) -> list[str]:
        store = str(folder / "store")
        return [sys.executable, "-m", "corpus_agent", "--store", store, "index", str(files)]

    def _task(
        self, way: Way, folder: Path, files: Path, chunks: Sequence[str], queries: Sequence[str]
    ) -> Path:
        given = folder / "chunks.json"
        given.write_text(json.dumps(chunks), "utf-8")
        task = {
            "tool": way.tool,
            "options": way.options,
            "files": str(files),
            "chunks": None if way.own_chunks else str(given),
            "model": str(self.model.path),
            "store": str(folder / "store"),
            "report": str(folder / "report.json"),
            "threads": self.threads,
            "queries": list(queries),
        }
        path = folder / "task.json"
        path.write_text(json.dumps(task), "utf-8")
        return path

    def _timed(self, command: list[str], folder: Path) -> tuple[float, float, float]:
        """Seconds by the clock and of the processors of a process and its children; its start."""
        log = folder / "log"
        with log.open("wb") as output:
            started = time.monotonic()
            process = subprocess.Popen(
                command, cwd=folder, stdout=output, stderr=output, env=self._environment(folder)
            )
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.monotonic() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            tail = "\n".join(log.read_text("utf-8", "replace").splitlines()[-20:])
            raise ProcessFailed(f"{' '.join(command)} ended with {process.returncode}:\n{tail}")
        return seconds, usage.ru_utime + usage.ru_stime, started

    def _environment(self, folder: Path) -> dict[str, str]:
        """One number of threads for all; no hub, and nothing written outside of `folder`."""
        names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "LEANN_CPU_THREADS", "RAYON_NUM_THREADS")
        threads = dict.fromkeys(names, str(self.threads))
        offline = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
        return os.environ | threads | offline | {"HOME": str(folder), "TMPDIR": str(folder)}


def started(bench: Bench, ways: list[Way]) -> tuple[dict[str, float], list[str]]:
    """Seconds of each tool's second run over one note, and the tools with their versions."""
    files = bench.scratch / "note"
    files.mkdir()
    (files / "note.md").write_text(NOTE, "utf-8")
    seconds: dict[str, float] = {}
    versions = []
    for tool in dict.fromkeys(way.tool for way in ways):
        way = next(way for way in WAYS if way.tool == tool)
        bench.run(way, files, [NOTE])
        run = bench.run(way, files, [NOTE])
        seconds[tool] = run.seconds
        versions.append(f"{tool} {run.version}")
    return seconds, versions


@dataclass(frozen=True)
class Figures:
    """What is printed of the runs of one way over one set; seconds are medians."""

    way: Way
    chunks: int
    tokens: int  # that the model was given
    left_out: float  # share of all tokens of the chunks
    seconds: float
    used: float

    @classmethod
    def of_runs(cls, way: Way, runs: list[Run], model: ModelFolder) -> Figures:
        lengths = [len(one.ids) for one in model.tokenizer.encode_batch(runs[0].texts)]
        tokens = sum(min(length, runs[0].window) for length in lengths)
        seconds, used = median(run.seconds for run in runs), median(run.used for run in runs)
        return cls(way, len(lengths), tokens, 1 - tokens / sum(lengths), seconds, used)

    @property
    def speed(self) -> float:
        return self.tokens / self.seconds


HEADER = (
    "set",
    "tool",
    "chunks",
    "number",
    "tokens",
    "left out",
    "start-up, s",
    "seconds",
    "processor seconds",
    "tokens/s",
    "seconds, times ours",
    "tokens/s, ours to its",
)


def rows(
    name: str, figures: list[Figures], startup: dict[str, float]
) -> Iterator[tuple[object, ...]]:
    """The cells of each way over one set; ours comes first."""
    ours = figures[0]
    for one in figures:
        yield (
            name,
            one.way.label,
            "own" if one.way.own_chunks else "ours",
            f"{one.chunks:,}",
            f"{one.tokens:,}",
            f"{one.left_out:.0%}",
            f"{startup[one.way.tool]:.1f}",
            f"{one.seconds:.1f}",
            f"{one.used:.1f}",
            f"{one.speed:,.0f}",
            f"{one.seconds / ours.seconds:.2f}",
            f"{ours.speed / one.speed:.2f}",
        )


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peer-python", action="append", default=[], metavar="TOOL=PYTHON")
    parser.add_argument("--set", choices=[name for name, _ in SETS], action="append")
    parser.add_argument("--files", type=int, default=60, help="of each set; 0: all")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--quality", nargs="+", choices=RETRIEVAL_SETS, metavar="SET")
    parser.add_argument("--only", nargs="+", default=[], help="rows whose tool has such a word")
    given = parser.parse_args()
    given.pythons = dict(one.split("=", 1) for one in given.peer_python)
    if unknown := given.pythons.keys() - PROGRAMS.keys():
        parser.error(f"not a peer: {', '.join(sorted(unknown))}; known: {', '.join(PROGRAMS)}")
    return given


def chosen_ways(given: argparse.Namespace) -> list[Way]:
    """Ours, and those of the peers that are installed and wanted."""
    for tool in (tool for tool in PROGRAMS if tool not in given.pythons):
        print(f"{tool}: not installed (no --peer-python {tool}=PYTHON)")
    words = [word.lower() for word in given.only or [""]]
    peers = (way for way in WAYS[1:] if way.tool in given.pythons)
    return [WAYS[0], *(way for way in peers if any(word in way.label.lower() for word in words))]


def measured(bench: Bench, name: str, files: Path, ways: list[Way], rounds: int) -> list[Figures]:
    """The runs of all ways over a folder, interleaved; a peer that fails is said and left out."""
    chunks = chunk_texts(files, bench.model)
    runs: dict[Way, list[Run]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way in list(runs):
            try:
                runs[way].append(bench.run(way, files, chunks))
            except ProcessFailed as failure:
                del runs[way]
                print(f"{name}: {way.label} failed: {failure}")
            else:
                print(f"{name}: {way.label}: {runs[way][-1].seconds:.1f} s", file=sys.stderr)
    return [Figures.of_runs(way, found, bench.model) for way, found in runs.items()]


def middle(seconds: Sequence[float]) -> str:
    return f"{median(seconds) * 1000:.1f}"


def quality(bench: Bench, name: str) -> list[tuple[str, str, float, str]]:
    """nDCG@10 and median time of our search and of each peer's over a retrieval set's files."""
    folder = bench.scratch / name
    ids = document_files(name, folder)
    relevant = judgments(name)
    listed = read_jsonl(data("retrieval", name, "queries.jsonl"))
    queries = {one["_id"]: one["text"] for one in listed if one["_id"] in relevant}

    def score(ranked: Sequence[Sequence[str]]) -> float:
        pairs = zip(queries, ranked, strict=True)
        return mean(ndcg([ids[one] for one in found], relevant[key]) for key, found in pairs)

    with corpus_of(folder) as corpus:
        wanted = [Query(one, POOL, per_source=None) for one in queries.values()]
        ours = asked(lambda query: documents(corpus.search(query)), wanted)
    found = [(name, OURS, score(ours["ranked"]), middle(ours["searched"]))]
    for way in SEARCHES:
        if way.tool in bench.pythons:
            run = bench.run(way, folder, queries=list(queries.values()))
            names = [[str(Path(one).relative_to(folder)) for one in files] for files in run.ranked]
            found.append((name, way.label, score(names), middle(run.searched)))
    return found


def speed(bench: Bench, given: argparse.Namespace) -> None:
    """Print the table of all ways over each set."""
    ways = chosen_ways(given)
    cells: list[tuple[object, ...]] = []
    startup, versions = started(bench, ways)
    for name, parts in SETS:
        if not given.set or name in given.set:
            into = bench.scratch / name.replace(" ", "-")
            files = part_of(data(*parts).resolve(), given.files, into)
            cells += rows(name, measured(bench, name, files, ways, given.rounds), startup)
    print(f"{bench.threads} threads, median of {given.rounds}; {', '.join(versions)}")
    print_table(HEADER, cells)


def main() -> None:
    given = arguments()
    with tempfile.TemporaryDirectory() as place:
        threads = len(os.sched_getaffinity(0))
        bench = Bench(Path(place).resolve(), ModelFolder(), given.pythons, threads)
        if given.quality:
            found = [row for name in given.quality for row in quality(bench, name)]
            print_table(("set", "tool", "nDCG@10", "a search, p50, ms"), found)
        else:
            speed(bench, given)


if __name__ == "__main__":
    main()
