"""One frozen Settings: flag > CORPUS_AGENT_* > config.toml in the store > the user's > default."""

from corpus_agent.settings.loading import (
    OF_A_STORE,
    PREFIX,
    load,
    of_store,
    unknown_variables,
    user_config,
)
from corpus_agent.settings.places import (
    absolute,
    check_one,
    engine_of,
    existing_place,
    existing_store,
    extensions,
    model_folder,
    one_by_one,
    stores_to_read,
)
from corpus_agent.settings.record import MARK, Device, NamedStore, Settings, is_address

__all__ = [
    "MARK",
    "OF_A_STORE",
    "PREFIX",
    "Device",
    "NamedStore",
    "Settings",
    "absolute",
    "check_one",
    "engine_of",
    "existing_place",
    "existing_store",
    "extensions",
    "is_address",
    "load",
    "model_folder",
    "of_store",
    "one_by_one",
    "stores_to_read",
    "unknown_variables",
    "user_config",
]
