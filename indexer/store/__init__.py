"""An index on disk: ownership, manifest, lock, tables, caches."""
