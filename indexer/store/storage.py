"""What others ask of a store's folder: who made it, what it has committed, how large it is.

The public part of the modules that it imports from; others use it as `indexer.storage`. It loads no
LanceDB, so it can be used before the seal.
"""

from indexer.store.folder import Usage, usage
from indexer.store.integrity import EVERY_BYTE, checked_manifest
from indexer.store.lock import writer_of
from indexer.store.manifest import (
    MANIFEST_NAME,
    STORE_NAME,
    Manifest,
    find_store,
    read_manifest,
    root_of,
    sum_of,
)
from indexer.store.ownership import (
    Identity,
    check_apart,
    identity_of,
    is_store,
    make_store,
    mark,
    may_be_made,
    named_store,
    read_small,
)
from indexer.store.refusals import MAKE_ONE, no_index, untrusted

__all__ = [
    "EVERY_BYTE",
    "MAKE_ONE",
    "MANIFEST_NAME",
    "STORE_NAME",
    "Identity",
    "Manifest",
    "Usage",
    "check_apart",
    "checked_manifest",
    "find_store",
    "identity_of",
    "is_store",
    "make_store",
    "mark",
    "may_be_made",
    "named_store",
    "no_index",
    "read_manifest",
    "read_small",
    "root_of",
    "sum_of",
    "untrusted",
    "usage",
    "writer_of",
]
