"""What the doors ask: index, search, read, ask, watch, forget, clean up."""
