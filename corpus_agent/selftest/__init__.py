"""The attackers: what tries the promises of this program, beside controls that get through."""
