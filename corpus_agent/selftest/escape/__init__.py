"""Attempts to leave the seal, each in a process of its own, and the kernel's response."""
