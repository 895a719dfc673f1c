"""Text as it stands in a file: its encoding, its title."""
