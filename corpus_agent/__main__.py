"""`python -P -m corpus_agent` is `corpus-agent`, which begins here.

Without `-P` Python looks for modules where one stands until the package is found; then it does not.
"""

import os
import signal


def _stop(*_: object) -> None:
    """What Ctrl-C does until a command has begun: nothing is open yet that would have to end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # pressed again, it ends no other way
    os.write(2, b"Stopped.\n")
    os._exit(130)


if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else it is to be ignored
    signal.signal(signal.SIGINT, _stop)

from corpus_agent.cli import run  # noqa: E402 - what takes its time

if __name__ == "__main__":
    run()
