"""Everything that the model sees of the corpus: two tools, and the frame around their data."""
