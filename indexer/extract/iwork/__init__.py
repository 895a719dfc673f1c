"""Apple's Pages, Numbers and Keynote."""
