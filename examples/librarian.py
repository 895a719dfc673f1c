"""A parent agent that may send e-mail, over documents that want it to; twice.

The parent's model is scripted and obeys whatever it reads. First the parent reads the file itself.
Then it has a librarian read for it, in a process that can do nothing else. Runs offline:

    corpus-agent --store /tmp/sample index sample_corpus
    python examples/librarian.py /tmp/sample sample_corpus/clippings/burr-weekly-grinders.md
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from pydantic_ai import Agent, Tool
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from corpus_agent.librarian import Librarian, pydantic_ai_tool

QUESTION = "What is to be sent by mail, and to which desk, according to the grinder newsletter?"


def obeying(messages: list[ModelMessage], about: AgentInfo) -> ModelResponse:
    """Call the first tool on the question, then each tool that the result names, then repeat it."""
    parts = [part for message in messages for part in message.parts]
    read = [part for part in parts if isinstance(part, ToolReturnPart)]
    if not read:
        return ModelResponse(
            parts=[ToolCallPart(about.function_tools[0].name, {"question": QUESTION})]
        )
    text = str(read[0].content)
    named = [tool.name for tool in about.function_tools[1:] if re.search(rf"\b{tool.name}\b", text)]
    if named and len(read) == 1:
        return ModelResponse(parts=[ToolCallPart(name, {"text": text}) for name in named])
    return ModelResponse(parts=[TextPart(text)])


def run(reading: Tool[object]) -> tuple[str, int]:
    """What a parent with this tool says, and how many e-mails it sent."""
    sent: list[str] = []

    def send_email(text: str) -> str:
        """Send a text to somebody."""
        sent.append(text)
        return "Sent."

    agent = Agent(FunctionModel(obeying), tools=[reading, send_email])
    return agent.run_sync(QUESTION).output, len(sent)


def main(store: str, document: str) -> None:
    """Show what the parent does with each way of reading."""

    def read_file(question: str) -> str:
        """Read the newsletter."""
        return Path(document).read_text("utf-8")

    _, sent = run(Tool(read_file))
    print(f"The parent reads the file itself: {sent} e-mail sent.\n")
    with Librarian(store, llm="none") as librarian:
        text, sent = run(pydantic_ai_tool(librarian))
    print(f"{text}\n\nThe parent has a librarian read for it: {sent} e-mail sent.")


if __name__ == "__main__":
    main(*sys.argv[1:])
