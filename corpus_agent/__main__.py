"""`python -m corpus_agent` is `corpus-agent`."""

from corpus_agent.cli import main

main(prog_name="corpus-agent")
