"""`python -P -m corpus_agent` is `corpus-agent`.

Without `-P` Python looks for modules where one stands until the package is found; then it does not.
"""

from corpus_agent.cli import run

run()
