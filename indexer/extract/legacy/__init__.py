"""Extractors of office formats from before XML: Word, PowerPoint and Outlook binaries, RTF."""
