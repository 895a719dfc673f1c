"""The model's access to the corpus: two tools, and the delimiters around their data."""
