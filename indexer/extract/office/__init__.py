"""Extractors of office formats in ZIP containers."""
