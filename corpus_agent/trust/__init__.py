"""Which indices this user trusts, kept where nothing in a folder of documents can write."""
