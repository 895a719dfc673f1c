"""Files in, searchable index out.

Knows nothing of agents, models or terminals. Flow: walk -> extract -> chunk -> embed -> store.
"""

__version__ = "0.2.0"  # of the distribution, which holds this library and corpus_agent
