"""Parsers in processes of their own: sealed, limited, and replaced when one dies.

`child` is the process, `process` and `worker` the parent's end of it, `wire` what they say to each
other, `limits` the table of bounds, `pool` keeps several busy. Imports nothing: the child is small.
"""
