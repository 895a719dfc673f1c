"""The server over the Model Context Protocol."""
