"""Parsers in processes of their own: sealed, limited, and replaced when one dies.

`child` runs in the process, `process` and `worker` in its parent, `protocol` is between them,
`limits` the table of bounds, `pool` runs several. Imports nothing, to keep the child small.
"""
