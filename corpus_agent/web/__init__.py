"""A page on this machine: search, ask, and see the words where they stand."""
