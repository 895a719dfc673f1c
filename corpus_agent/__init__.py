"""A question in, a checked answer out."""

__version__ = "0.1.0"
