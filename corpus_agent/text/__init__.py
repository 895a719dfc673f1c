"""Text processing: tokens, sentences, numbers, names, sanitising. Pure."""
