"""Documents read in processes of their own: sealed, limited, and replaced when one dies.

`child` is the program of every such process and does jobs: its own (text, and pages to look at) or
those of `recognising` (scans). `process` is its parent's handle, `protocol` what passes between
them, `limits` the bounds. Imports nothing, to keep the child small.
"""
