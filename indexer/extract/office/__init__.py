"""Extractors of office formats."""
