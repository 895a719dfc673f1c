"""Indexes made by an attacker, and runs that were taken over: the effect on the next command."""
