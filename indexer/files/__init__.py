"""Which files belong to a corpus, and the only opening of one."""
