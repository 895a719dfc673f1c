"""Everything that the model sees of the corpus: two tools, their texts and the frame around data."""
