"""Text as it stands in a file: its encoding, its title, what is encoded in it, subtitles."""
