"""What text is made of and how it is written: tokens, sentences, numbers, names. Pure."""
