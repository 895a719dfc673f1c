"""A page on this machine: search, ask, and see the words where they stand.

`listening` makes the one socket before the seal, `server` serves it after, `door` refuses all
without the key; `site` knows the addresses, and the other modules make a page each.
"""
