"""Extractors of office formats from before XML: Word, PowerPoint, RTF, and their container."""
