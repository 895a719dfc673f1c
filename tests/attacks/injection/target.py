"""The process under attack: prints the program's output for each planted string, sealed.

Follows the commands' order: find the model, start the broker, seal, and only then open the index.
Judges nothing; the output goes to trial.py as JSON.

    python -m tests.attacks.injection.target < task.json    # one JSON object per word
"""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from corpus_agent import render, service
from corpus_agent.answering.extractive import ExtractiveAnswerer
from corpus_agent.render import for_parent
from corpus_agent.service.process import Cancel, Onlooker
from corpus_agent.settings import Settings
from corpus_agent.startup import Launch, for_reading
from corpus_agent.text.delimiters import Frame
from corpus_agent.text.sanitize import visible
from indexer import CorpusError, Query
from tests.attacks.injection.strings import question_about

if TYPE_CHECKING:
    from corpus_agent.answering.records import Answerer
    from indexer import FileRow, Index

Printed = Iterator[tuple[str, str]]  # by command
CONNECT_SECONDS = 2.0


def main() -> None:
    """Seal, then print the output of every command for each word of the task."""
    task = json.loads(sys.stdin.read())
    # The store was made for this run; it does not belong in the user's record.
    named = Settings(store=Path(task["store"]), llm=task["llm"], trust_store=True)
    launch = for_reading(named, asking=True)
    assert launch.model is not None, launch.notices
    corpus = service.session.open_corpus(launch.settings)
    answerers = {
        command: service.session.answerer_for(corpus, each)
        for command, each in (
            ("ask", launch),
            ("ask --llm none", Launch(launch.seal, settings=launch.settings)),
        )
    }
    from corpus_agent.mcp.tools import Tools  # after the seal

    tools, rows = Tools(service.service.Service(launch)), corpus.files()
    for word in task["words"]:
        of_word = [row for row in rows if word in row.source]
        texts = dict(_shown(word, corpus, of_word)) | dict(_over_mcp(word, tools, of_word))
        for command, answerer in answerers.items():
            if command == "ask" or word in task["without_model"]:
                texts |= dict(_asked(command, word, corpus, answerer))
        row = {"word": word, "texts": texts, "connected": _connects(*task["listener"])}
        print(json.dumps({**row, "seal": launch.seal.state}))


def _shown(word: str, corpus: Index, rows: Sequence[FileRow]) -> Printed:
    hits = corpus.search(Query(word, 5, None))
    shown = ExtractiveAnswerer(corpus.encoder).found(word, hits)
    yield "search", "\n".join(render.search_lines(word, hits, shown, corpus.coverage()))
    yield "search --json", json.dumps(render.search_object(word, hits, corpus.version))
    for number, row in enumerate(rows, start=1):
        yield f"files {number}", render.file_line(row)
        yield f"files {number} --json", json.dumps(render.file_object(row))
        if row.status == "indexed":
            window = corpus.read(row.source)
            yield f"read {number}", "\n".join(visible(line.text) for line in window.lines)
            read = render.read_object(window, corpus.version)
            yield f"read {number} --json", json.dumps(read)


def _over_mcp(word: str, tools: object, rows: Sequence[FileRow]) -> Printed:
    """The output of the MCP server's tools and its list of resources; answers are in `_asked`."""
    from corpus_agent.mcp.tools import listed

    yield "mcp search", tools.call("vectordb_search", {"query": word}, Cancel()).text
    for number, row in enumerate(rows, start=1):
        read = tools.call("vectordb_read", {"source": row.source}, Cancel())
        yield f"mcp read {number}", read.text
        yield f"mcp resource {number}", "\n".join(map(str, listed(row).values()))


def _asked(command: str, word: str, corpus: Index, answerer: Answerer) -> Printed:
    events: list[str] = []
    question = question_about(word)
    try:
        answer = service.session.ask(question, corpus, answerer, onlooker=Onlooker(events.append))
    except CorpusError as error:
        yield command, f"Error: {visible(str(error))}"
        return
    yield command, "\n".join(render.answer_lines(answer))
    yield f"{command} --json", json.dumps(render.answer_object(answer))
    yield f"parent of {command}", for_parent.render(Frame(), for_parent.handed_over(answer))
    yield f"{command} (events)", visible("\n".join(events))


def _connects(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), CONNECT_SECONDS).close()
    except OSError:
        return False
    return True


if __name__ == "__main__":
    main()
