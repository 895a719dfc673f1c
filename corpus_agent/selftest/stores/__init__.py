"""Indices that an attacker made, and runs that were taken over: what the next command does."""
