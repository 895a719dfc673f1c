import os
import re
from pathlib import Path

import pytest

from corpus_agent.settings import KINDS, load, of_store, unknown_variables, user_config
from indexer.errors import UsageError
from tests.support.places import REPOSITORY


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_flag_beats_the_environment_beats_the_store_beats_the_user_beats_the_default(tmp_path):
    assert load({}, None, {}).llm_seconds == 600
    write(user_config(), 'llm_seconds = 1\nllm_model = "kept"\n')
    assert load({}, None, {}).llm_seconds == 1
    store = write(tmp_path / "store/config.toml", "llm_seconds = 20\n").parent
    assert of_store(load({"store": store}, None, {}), store).llm_seconds == 20
    variables = {"CORPUS_AGENT_LLM_SECONDS": "3", "CORPUS_AGENT_STORE": str(store)}
    assert of_store(load({}, None, variables), store).llm_seconds == 3
    settings = of_store(load({"llm_seconds": 4}, None, variables), store)
    assert (settings.llm_seconds, settings.llm_model, settings.store) == (4, "kept", store)


@pytest.mark.parametrize("key", ["llm", "llm_model", "model", "root", "trust_store"])
def test_a_store_decides_nothing_that_draws_a_boundary(tmp_path, key):
    text = f'# ours\nmax_file_bytes = 7000000\n{key} = "/root"\n'
    store = write(tmp_path / "store/config.toml", text).parent
    with pytest.raises(UsageError, match=rf"an index may not decide '{key}'"):
        of_store(load({}, None, {}), store)
    write(store / "config.toml", "max_file_bytes = 7000000\n")
    assert of_store(load({}, None, {}), store).max_file_bytes == 7_000_000


@pytest.mark.parametrize(
    ("key", "least", "most"),
    [("max_file_bytes", 2**20, 2**30), ("llm_seconds", 10, 86_400), ("llm_context", 2048, 2**24)],
)
def test_a_store_hides_no_document_and_stops_no_model_by_a_size(tmp_path, key, least, most):
    store = tmp_path / "store"
    for value in (least, most):  # the control
        write(store / "config.toml", f"{key} = {value}\n")
        assert getattr(of_store(load({}, None, {}), store), key) == value
    for value in ("0", "-1", "1", str(least - 1), str(most + 1), str(10**30)):
        write(store / "config.toml", f"# ours\n{key} = {value}\n")
        with pytest.raises(UsageError, match=rf"(: an index may set|setting) '{key}'"):
            of_store(load({}, None, {}), store)
    write(store / "config.toml", f"{key} = 0x1{'0' * 99_999}\n")
    with pytest.raises(UsageError, match=f"'{key}' must be a number .*, not such a int"):
        of_store(load({}, None, {}), store)
    for value in ("true", f"'{'x' * 99_999}'", "1e9", '"nan"', "[1]", "1979-05-27"):
        write(store / "config.toml", f"{key} = {value}\n")
        with pytest.raises(UsageError, match=f"'{key}' must be a"):
            of_store(load({}, None, {}), store)
    # What a user says is obeyed as it is, also against the store.
    assert getattr(load({}, write(tmp_path / "own.toml", f"{key} = 7\n"), {}), key) == 7
    for value in ("0", "-1"):
        with pytest.raises(UsageError, match=f"'{key}' must be a number from 1 to"):
            load({}, None, {f"CORPUS_AGENT_{key.upper()}": value})


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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("colour = 1\n", "unknown key 'colour'"),
        ('store = "elsewhere"\n', "unknown key 'store'"),
        ("llm = \n", "cannot be read"),
        ('max_file_bytes = "many"\n', "must be a number from 1 to .*, not 'many'"),
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


def test_the_page_names_every_variable_and_no_other():
    page = (REPOSITORY / "docs/settings.md").read_text("utf-8")
    named = set(re.findall(r"`(CORPUS_AGENT_\w+)", page))
    assert unknown_variables(dict.fromkeys(named, "x")) == []
    parts = KINDS.keys() | {"config"}
    assert named == {f"CORPUS_AGENT_{part.upper()}" for part in parts}


@pytest.mark.parametrize("key", ["CONFIG", "MODEL"])
def test_no_folder_that_one_stands_in_decides_what_a_variable_means(tmp_path, monkeypatch, key):
    write(tmp_path / "clone/here.toml", 'llm = "theirs"\n')
    monkeypatch.chdir(tmp_path / "clone")
    for said in ("here.toml", "./here.toml", "../clone/here.toml", "~/here.toml"):
        with pytest.raises(UsageError, match=f"CORPUS_AGENT_{key} must be an absolute path"):
            load({}, None, {f"CORPUS_AGENT_{key}": said})
    load({}, None, {f"CORPUS_AGENT_{key}": str(tmp_path / "clone/here.toml")})  # the controls
    typed = {} if key == "CONFIG" else {key.lower(): Path("here.toml")}
    load(typed, Path("here.toml") if key == "CONFIG" else None, {})
    if key != "CONFIG":
        write(user_config(), f'{key.lower()} = "here"\n')
        with pytest.raises(UsageError, match=f"{key.lower()} must be an absolute path"):
            load({}, None, {})
