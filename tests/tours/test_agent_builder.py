"""Who builds an agent, with the official client: one session from listing to cancelling."""

import os
import sys

import anyio
import pytest

from tests.support.places import REPOSITORY

QUESTION = "How long can the sourdough starter stay in the fridge without being fed?"


@pytest.mark.slow
def test_a_session_of_the_official_client(sample_store, tmp_path):
    from mcp import Client, StdioServerParameters, stdio_client

    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "corpus_agent", "--store", str(sample_store), "mcp", "--llm", "none"],
        env={"PYTHONPATH": str(REPOSITORY), "XDG_STATE_HOME": os.environ["XDG_STATE_HOME"]},
        cwd=tmp_path,
    )

    async def use():
        async with Client(stdio_client(parameters)) as client:

            async def text(tool, **arguments):
                result = await client.call_tool(tool, arguments)
                return result.content[0].text, result.is_error

            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            taken = {name: set(tool.input_schema["properties"]) for name, tool in tools.items()}
            assert taken["vectordb_search"] == {"query", "k", "path", "where"}
            assert taken["list_sources"] == {"path", "where", "offset"}
            assert taken["ask_corpus"] == {"question", "conversation"}

            listed, _ = await text("list_sources", path="kitchen/")
            assert listed.startswith("Documents 1 to 3 of 3:")
            found, _ = await text("vectordb_search", query="sourdough", k=1, path="kitchen/")
            assert found.startswith('1 result for "sourdough" in 3 documents')
            assert "kitchen/sourdough.md" in found
            score = float(found.partition("score ")[2].split()[0])
            weak, _ = await text("vectordb_search", query="zebra quantum tariff", k=1)
            assert float(weak.partition("score ")[2].split()[0]) < 0.2 < score
            for wrong in ({"k": -1}, {"where": "size>3"}, {"path": "nosuch/"}):
                _, refused = await text("vectordb_search", query="sourdough", **wrong)
                assert refused, wrong

            first, _ = await text("ask_corpus", question=QUESTION, conversation="a")
            assert "12 days" in first
            second, _ = await text("ask_corpus", question="And the loaf?", conversation="a")
            assert "sourdough" in second
            with anyio.move_on_after(0.001):  # the client cancels, and the session goes on
                await client.call_tool("ask_corpus", {"question": QUESTION})
            status, _ = await text("corpus_status")
            assert "15 documents are indexed" in status

    anyio.run(use)
