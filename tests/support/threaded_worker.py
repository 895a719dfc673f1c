"""A worker in which a thread runs before it is confined: it cannot be, and says so."""

import threading
import time

from indexer.parsers.child import POLICY, Jobs

__all__ = ["POLICY", "Jobs"]

threading.Thread(target=time.sleep, args=(3_600,), daemon=True).start()
