"""A session with `corpus-agent mcp`, as any MCP client would have it, by the official SDK.

python examples/mcp_session.py STORE "When does the lease end?"
"""

from __future__ import annotations

import sys

import anyio
from mcp import Client, StdioServerParameters, stdio_client


async def session(store: str, question: str) -> None:
    """List what there is, search, read the best document, ask."""
    arguments = ["-P", "-m", "corpus_agent", "--store", store, "mcp"]
    server = StdioServerParameters(command=sys.executable, args=arguments)
    async with Client(stdio_client(server)) as client:
        tools = (await client.list_tools()).tools
        print("tools:", ", ".join(tool.name for tool in tools))
        resources = (await client.list_resources()).resources
        print("documents:", ", ".join(resource.title or "" for resource in resources[:3]), "…")
        for tool, key in (("vectordb_search", "query"), ("ask_corpus", "question")):
            result = await client.call_tool(tool, {key: question})
            print(f"\n{tool}:", *(part.text for part in result.content if part.type == "text"))


if __name__ == "__main__":
    anyio.run(session, *sys.argv[1:])
