"""Tours: the program as new users try it, each a test on the real program."""
