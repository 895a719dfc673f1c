"""Documents read in processes of their own: sealed, limited, and replaced when one dies.

`child` is the program of every such process, with its own jobs or those of `recognising`; `process`
is its parent's handle, `worker` and `pages` are what is asked of it, `protocol` what passes between
them, `limits` the bounds. Imports nothing, to keep the child small.
"""
