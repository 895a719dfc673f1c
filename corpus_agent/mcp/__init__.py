"""The server over the Model Context Protocol; `server` is imported after the seal."""
