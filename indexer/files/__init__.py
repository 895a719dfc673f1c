"""Which files belong to a corpus, and how they are opened."""
