"""From a folder to its index: plan, read, apply."""
