"""Attempts to leave the seal, one in each process, and what the kernel said to each."""
