"""Many questions, one JSON object a line: `python examples/batch.py STORE < questions.txt`.

One librarian answers them, several at once; the lines come in the order of the questions.
"""

from __future__ import annotations

import asyncio
import json
import sys

from corpus_agent.librarian import Librarian
from indexer import CorpusError


async def line(librarian: Librarian, question: str) -> str:
    """The answer to one question as JSON, or its error."""
    try:
        content = (await librarian.ask_async(question)).as_object()
    except CorpusError as error:
        content = {"question": question, "error": {"message": error.message, "hint": error.hint}}
    return json.dumps(content, ensure_ascii=False)


async def main(store: str) -> None:
    """Ask every line of the standard input."""
    questions = [text.strip() for text in sys.stdin if text.strip()]
    async with Librarian(store) as librarian:
        asked = [asyncio.create_task(line(librarian, question)) for question in questions]
        for task in asked:
            print(await task, flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
