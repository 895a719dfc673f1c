"""The multilingual model out of its file of four bits, and the folders that are read with it."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

import indexer
from corpus_agent import service
from corpus_agent.settings import Settings
from indexer import CorpusError, Encoder, encoder_of, multilingual_model
from indexer.embed import FOUR_BITS
from indexer.embed.languages import question_vector
from indexer.sync.read import share_in_other_languages
from tests.support.places import SAMPLE

pytestmark = pytest.mark.slow

TEXTS = (
    *("", " ", "Two  spaces, a\ttab and\nlines", "Wie lange hält sich der Sauerteig?"),
    *("Η μίσθωση λήγει στις 30 Ιουνίου 2027.", "Договор аренды заканчивается через год."),
    *("会議は三時に終わりました。", "สัญญาเช่าสิ้นสุดเมื่อใด", "متى ينتهي عقد الإيجار؟"),
    "ﬁne ½ Ⅳ ㎏ ① naïve — 🙂 \u200bzero\u200bwidth \ufeff \x01\x7f ▁ 𝔘𝔫𝔦",
    "unheardofwordswithoutanyspace" * 8,
)
LEASES = {
    "en": "The tenant gives three months' notice in writing. The rent is due on the third day.",
    "de": "Der Mieter kündigt mit einer Frist von drei Monaten schriftlich. Die Miete ist fällig.",
    "el": "Ο ενοικιαστής ειδοποιεί τρεις μήνες πριν γραπτώς. Το ενοίκιο πληρώνεται κάθε μήνα.",
}


@pytest.fixture(scope="module")
def weights() -> Path:
    found = multilingual_model()
    assert found is not None, "the extra [multilingual] is part of [dev]"
    return found


@pytest.fixture(scope="module")
def encoder(weights: Path) -> Encoder:
    return encoder_of(weights)


def test_few_pieces_cut_a_text_as_the_whole_vocabulary_does(weights):
    few, whole = encoder_of(weights), encoder_of(weights)
    assert whole.tokenizer.get_vocab_size() > 250_000
    for text in TEXTS:
        assert few.tokens([text]) == whole.tokens([text]), ascii(text)
    assert few.tokens(TEXTS) == whole.tokens(TEXTS)
    assert "tokenizer" not in few.__dict__


def test_a_question_finds_what_answers_it_in_another_language(encoder):
    passages = (
        "The tenant must give three months' notice in writing.",
        "Feed the starter once a day; in the fridge it keeps for twelve days.",
        "The chimney is swept every autumn before the first fire.",
    )
    vectors = encoder.encode([encoder.document_prefix + each for each in passages])
    asked = {
        "Welche Kündigungsfrist hat der Mieter?": 0,
        "Πόσο κρατάει το προζύμι στο ψυγείο;": 1,
        "煙突はいつ掃除しますか": 2,
    }
    for question, right in asked.items():
        assert int((vectors @ question_vector(encoder, question)[0]).argmax()) == right, question


def test_a_damaged_file_of_weights_is_named_with_what_mends_it(weights, tmp_path):
    data = weights.read_bytes()
    flipped = data[:40_000_000] + bytes([data[40_000_000] ^ 1]) + data[40_000_001:]
    for kept in (flipped, data[:50_000_000], b""):
        (tmp_path / FOUR_BITS).write_bytes(kept)
        with pytest.raises(CorpusError) as caught:
            encoder_of(tmp_path / FOUR_BITS).encode(["x"])
        assert "pip install" in caught.value.hint


def folder_of(tmp_path: Path, *languages: str) -> Path:
    for number, language in enumerate(languages):
        (tmp_path / f"{number}.txt").write_text(LEASES[language] * 3)
    return tmp_path


def model_chosen(root: Path, **settings: object) -> str:
    outcome = service.session.index(Settings(store=root / ".corpus-agent", **settings), root)
    assert outcome.added
    return indexer.storage.read_manifest(root / ".corpus-agent").fingerprint.model


def test_a_folder_is_read_with_the_model_of_its_languages(tmp_path_factory, monkeypatch, capsys):
    cases = (
        (("en", "en", "en"), {}, "all-MiniLM-L6-v2"),
        (("en", "de", "el"), {}, "multilingual-e5-small"),
        (("en", "de", "el"), {"model": Path("minilm")}, "all-MiniLM-L6-v2"),
        (("en", "en"), {"model": Path("multilingual")}, "multilingual-e5-small"),
    )
    for languages, settings, model in cases:
        root = folder_of(tmp_path_factory.mktemp("leases"), *languages)
        assert model_chosen(root, **settings).startswith(model), (languages, settings)
    assert share_in_other_languages(SAMPLE) < indexer.MANY_UNREAD
    # Without the extra: the packaged model, and the command that brings the other.
    monkeypatch.setattr("indexer.embed.find_spec", lambda n: find_spec(n) if "gt" in n else None)
    for languages, told in ((("de", "el"), True), (("en", "en"), False)):
        root = folder_of(tmp_path_factory.mktemp("leases"), *languages)
        assert model_chosen(root).startswith("all-MiniLM-L6-v2")
        assert ("pip install" in capsys.readouterr().err) is told, languages


def test_an_index_keeps_its_model_and_says_what_it_needs_when_that_is_gone(
    tmp_path, cli, monkeypatch
):
    root = folder_of(tmp_path, "de", "el")
    made = cli("index", root)
    assert "multilingual" in made.stderr, made
    found = cli("search", "When must the tenant give notice?", "--json", cwd=root)
    assert json.loads(found.stdout)["results"][0]["source"], found
    monkeypatch.setattr("indexer.embed.find_spec", lambda name: None)
    settings = Settings(store=root / ".corpus-agent", root=root)
    with pytest.raises(CorpusError) as caught:
        service.session.encoder_for(settings, settings.store)
    assert "corpus-agent[multilingual]" in caught.value.hint
    assert indexer.storage.read_manifest(root / ".corpus-agent").chunks
