"""Whose file is it: key material, formats by their bytes and names, and what is not read."""
