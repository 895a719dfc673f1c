"""Files in, searchable index out.

Knows nothing of agents, models or terminals. Flow: walk -> extract -> chunk -> embed -> store.
"""
