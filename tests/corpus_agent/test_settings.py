import os
from pathlib import Path

import pytest

from corpus_agent.settings import load, of_store, unknown_variables, user_config
from indexer.errors import UsageError


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_flag_beats_the_environment_beats_the_store_beats_the_user_beats_the_default(tmp_path):
    assert load({}, None, {}).llm_seconds == 600
    write(user_config(), 'llm_seconds = 1\nllm_model = "kept"\n')
    assert load({}, None, {}).llm_seconds == 1
    store = write(tmp_path / "store/config.toml", "llm_seconds = 2\n").parent
    assert of_store(load({"store": store}, None, {}), store).llm_seconds == 2
    variables = {"CORPUS_AGENT_LLM_SECONDS": "3", "CORPUS_AGENT_STORE": str(store)}
    assert of_store(load({}, None, variables), store).llm_seconds == 3
    settings = of_store(load({"llm_seconds": 4}, None, variables), store)
    assert (settings.llm_seconds, settings.llm_model, settings.store) == (4, "kept", store)


@pytest.mark.parametrize("key", ["llm", "llm_model", "model", "reranker", "root", "trust_store"])
def test_a_store_decides_nothing_that_draws_a_boundary(tmp_path, key):
    text = f'# ours\nmax_file_bytes = 7\n{key} = "/root"\n'
    store = write(tmp_path / "store/config.toml", text).parent
    with pytest.raises(UsageError, match=rf"line 3: an index may not decide '{key}'"):
        of_store(load({}, None, {}), store)
    write(store / "config.toml", "max_file_bytes = 7\n")
    assert of_store(load({}, None, {}), store).max_file_bytes == 7


@pytest.mark.parametrize("kind", ["link", "fifo", "folder", "large", "latin-1", "no TOML"])
def test_the_settings_of_a_store_are_a_small_text_file_or_an_error(tmp_path, kind):
    store = write(tmp_path / "store/config.toml", "llm_seconds = 2\n").parent
    path = store / "config.toml"
    path.rename(tmp_path / "good.toml")
    {
        "link": lambda: path.symlink_to(tmp_path / "good.toml"),
        "fifo": lambda: os.mkfifo(path),
        "folder": path.mkdir,
        "large": lambda: path.write_bytes(b"#" * 1_000_001),
        "latin-1": lambda: path.write_bytes(b"# \xe9\n"),
        "no TOML": lambda: path.write_text("llm_seconds ="),
    }[kind]()
    with pytest.raises(UsageError, match=r"config\.toml"):
        of_store(load({}, None, {}), store)


def test_a_named_file_takes_the_place_of_the_users(tmp_path):
    write(user_config(), 'llm = "user"\n')
    named = write(tmp_path / "named.toml", "max_file_bytes = 7\n")
    settings = load({}, named, {})
    assert (settings.llm, settings.max_file_bytes) == ("auto", 7)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("colour = 1\n", "unknown key 'colour'"),
        ('store = "elsewhere"\n', "unknown key 'store'"),
        ("llm = \n", "cannot be read"),
        ('max_file_bytes = "many"\n', "must be a int, not 'many'"),
    ],
)
def test_a_wrong_file_is_an_error_and_never_passed_over(tmp_path, text, message):
    with pytest.raises(UsageError, match=message):
        load({}, write(tmp_path / "c.toml", text), {})


def test_a_file_that_is_named_and_absent_is_an_error(tmp_path):
    with pytest.raises(UsageError, match="There is no configuration file"):
        load({}, tmp_path / "none.toml", {})
    with pytest.raises(UsageError, match="There is no configuration file"):
        load({}, None, {"CORPUS_AGENT_CONFIG": str(tmp_path / "none.toml")})


def test_a_mistyped_variable_is_noticed():
    environ = {"CORPUS_AGENT_STROE": "x", "CORPUS_AGENT_LLM": "none", "HOME": "/"}
    assert unknown_variables(environ) == ["CORPUS_AGENT_STROE"]
