"""A worker in which a thread runs before it is confined: it cannot be, and says so."""

import threading
import time

from indexer.parsers import child


def main(parent: int, *, confined: bool) -> None:
    threading.Thread(target=time.sleep, args=(3_600,), daemon=True).start()
    child.main(parent, confined=confined)
