"""An index on disk: who may use it, its manifest, lock and tables, and what is kept beside them."""
