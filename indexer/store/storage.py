"""What others ask of a store's folder: who made it, what it has committed, how large it is.

Others use it as `indexer.storage`. It loads no LanceDB, so it can be used before the seal.
"""

from indexer.store.folder import MAKE_ONE as MAKE_ONE
from indexer.store.folder import Usage as Usage
from indexer.store.folder import no_index as no_index
from indexer.store.folder import untrusted as untrusted
from indexer.store.folder import usage as usage
from indexer.store.folder import writer_of as writer_of
from indexer.store.manifest import EVERY_BYTE as EVERY_BYTE
from indexer.store.manifest import MANIFEST_NAME as MANIFEST_NAME
from indexer.store.manifest import STORE_NAME as STORE_NAME
from indexer.store.manifest import Manifest as Manifest
from indexer.store.manifest import checked_manifest as checked_manifest
from indexer.store.manifest import find_store as find_store
from indexer.store.manifest import read_manifest as read_manifest
from indexer.store.manifest import recorded as recorded
from indexer.store.manifest import root_of as root_of
from indexer.store.ownership import Identity as Identity
from indexer.store.ownership import check_apart as check_apart
from indexer.store.ownership import identity_of as identity_of
from indexer.store.ownership import is_store as is_store
from indexer.store.ownership import make_store as make_store
from indexer.store.ownership import may_be_made as may_be_made
from indexer.store.ownership import named_store as named_store
from indexer.store.ownership import read_small as read_small
