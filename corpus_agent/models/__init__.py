"""Where a model may be: addresses, what listens there, what it can do, and a server of our own."""
