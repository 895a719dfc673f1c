"""Tables of every format: cells in a grid, the rows that name columns, each row as a line."""
