"""Shows on a live cluster that what opens documents has no socket, and what has one no document."""
