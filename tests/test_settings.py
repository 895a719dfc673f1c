from pathlib import Path

import pytest

from corpus_agent.settings import load, unknown_variables, user_config
from indexer.errors import UsageError


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_flag_beats_the_environment_beats_the_store_beats_the_user_beats_the_default(tmp_path):
    assert load({}, None, {}).llm == "auto"
    write(user_config(), 'llm = "user"\nllm_model = "kept"\n')
    assert load({}, None, {}).llm == "user"
    store = write(tmp_path / "store/config.toml", 'llm = "store"\n').parent
    assert load({"store": store}, None, {}).llm == "store"
    variables = {"CORPUS_AGENT_LLM": "variable", "CORPUS_AGENT_STORE": str(store)}
    assert load({}, None, variables).llm == "variable"
    settings = load({"llm": "flag"}, None, variables)
    assert (settings.llm, settings.llm_model, settings.store) == ("flag", "kept", store)


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
