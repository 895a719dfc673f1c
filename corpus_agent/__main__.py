"""`python -P -m corpus_agent` is `corpus-agent`, which begins here.

Without `-P` Python looks for modules where one stands until the package is found; then it does not.
"""

import signal
import sys

try:
    from corpus_agent.cli import run
except KeyboardInterrupt:  # while modules are loaded: it ends as it does later
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # pressed again, it ends no other way
    sys.stderr.write("Stopped.\n")
    sys.exit(130)

if __name__ == "__main__":
    run()
