"""The conversation with a model: what it is sent, what it replies, its calls of the two tools."""
