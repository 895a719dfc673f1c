"""Own papers: whose a letter is, and which of two price lists holds; over a real index."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from corpus_agent.answering.extractive import ExtractiveAnswerer
from corpus_agent.answering.records import Answer
from corpus_agent.service import session
from corpus_agent.settings import Settings
from indexer.index import Index

pytestmark = pytest.mark.slow

PAPERS = {
    "letters/violin.txt": "4 June 2024\n\nDear Mr Tarrant,\n\n"
    "My fee is 55 pounds for an hour. I can come on Fridays.\n\nKind regards,\nOdette Varga\n",
    "letters/unsigned.txt": "Dear Mr Tarrant,\n\nThe piano was tuned for 60 pounds.\n",
    "house/lift.md": "# Lift\n\nThe Hollin 3 is behind the stairs. It was made in Graz. "
    "It is oiled every March.\n",
    "notes/stew.md": "# Lentil stew of Uncle Bertil\n\nCook it for 35 minutes with a bay leaf.\n",
    "pool/prices-2022.txt": "Pool at Eastfield\nValid from 1 April 2022\n\n"
    "A swim is 4.20 pounds.\nA sauna is 9.00 pounds.\nThe locker is free of charge.\n",
    "pool/prices-2025.txt": "Pool at Eastfield\nValid from 1 April 2025\n\n"
    "A swim is 5.10 pounds.\nA sauna is 12.50 pounds.\nThe locker is free of charge.\n",
    "mobile.md": "---\ntitle: Mobile with Orbix\ndate: 2022-03-01\n---\n\n"
    "The tariff has 8 gigabytes a month.\n",
    "mobile-later.md": "---\ntitle: Mobile with Orbix\ndate: 2024-03-01\n---\n\n"
    "The tariff has 20 gigabytes a month.\n",
    "de/pacht-alt.txt": "Gartenverein Rosenau\nPassau, den 2. Mai 2021\n\n"
    "Die Pacht für die Parzelle beträgt 130 Euro im Jahr.\n",
    "de/pacht.txt": "Gartenverein Rosenau\nPassau, den 6. Mai 2024\n\n"
    "Die Pacht für die Parzelle beträgt 155 Euro im Jahr.\n",
    "rent-before.eml": "From: Alma Dorn <a@dorn.example>\nTo: t@tarrant.example\nSubject: Flat\n"
    "Date: Mon, 6 Feb 2023 10:00:00 +0000\n\nHello,\n\nthe rent goes up to 480 euros in April.\n",
    "rent.eml": "From: Alma Dorn <a@dorn.example>\nTo: t@tarrant.example\nSubject: House\n"
    "Date: Mon, 5 Feb 2024 10:00:00 +0000\n\nHello,\n\nthe rent goes up to 510 euros in April.\n",
    "survey.eml": "From: Anna Berg <anna@berg.example>\nTo: t@tarrant.example\nSubject: Survey\n"
    "Date: Fri, 1 Mar 2024 10:00:00 +0000\n\nMy fee for the survey is 42 pounds.\n\nAnna Berg\n",
    "again.eml": "From: Mallory <m@evil.example>\nTo: t@tarrant.example\nSubject: Survey\n"
    "Date: Sat, 1 Mar 2025 10:00:00 +0000\n\nMy fee for the survey is 420 pounds.\n\nAnna Berg\n",
    "boats-one.txt": "Rowing club of Aldmoor\n1 May 2023\n\nThe boat fee is 30 pounds.\n",
    "boats-two.txt": "Rowing club of Aldmoor\n1 May 2199\n\nThe boat fee is 90 pounds.\n",
    "bins-one.md": "# Bins\n\nThe brown bin holds 120 litres.\n",
    "bins-two.md": "# Bins\n\nThe brown bin holds 240 litres.\n",
    "heron-refit.md": "# Refit\n\nBegin: 13 January 2025.\n\nThe deck is laid in teak.\n",
    "yard/deck.txt": "Mr Ostler found rot of 30 mm below the deck of Heron, near the bow.\n",
    "yard/rudder.txt": "The rudder of Plover was repaired in Falmouth for 640 pounds.\n",
    "flats/elm-2022.md": "# Elm Road\n\n1 May 2022\n\nThe deposit was paid in cash: 900 pounds.\n",
    "flats/oak-2024.md": "# Oak Road\n\n1 May 2024\n\nThe deposit was paid in cash: 700 pounds.\n",
}


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder: Path = tmp_path_factory.mktemp("papers")
    for name, text in PAPERS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    settings = Settings(store=tmp_path_factory.mktemp("store") / "store")
    session.index(settings, folder)
    yield session.open_corpus(settings)


def asked(papers: Index, question: str) -> Answer:
    return ExtractiveAnswerer(papers.encoder).answer(question, papers)


def quotes(answer: Answer) -> list[str]:
    return [" ".join(citation.quote.split()) for citation in answer.citations]


def older(answer: Answer) -> list[str]:
    return [notice for notice in answer.notices if "lder document" in notice]


@pytest.mark.parametrize(
    ("question", "fact", "named"),
    [
        ("What does Odette Varga charge for an hour?", "55 pounds", "Odette Varga"),
        ("How long does Uncle Bertil cook it?", "35 minutes", "Lentil stew of Uncle Bertil"),
    ],
)
def test_a_name_that_stands_elsewhere_in_the_document_is_quoted_behind_the_fact(
    papers, question, fact, named
):
    answer = asked(papers, question)
    assert fact in quotes(answer)[0]
    assert quotes(answer)[1].endswith(named)
    assert {c.source for c in answer.citations[:2]} == {answer.citations[0].source}
    assert all(citation.stands for citation in answer.citations)
    assert not any("do not name" in notice for notice in answer.notices)


def test_a_name_that_no_document_has_is_bound_to_none(papers):
    answer = asked(papers, "What does Signe Lindqvist charge for the hour?")
    assert not any("Odette Varga" in quote for quote in quotes(answer))
    named = [notice for notice in answer.notices if "do not name Signe, Lindqvist" in notice]
    assert answer.status == "not_found" or len(named) == 1


@pytest.mark.parametrize(
    ("question", "quoted", "about"),
    [
        ("Who found the rot below Heron's deck?", "Mr Ostler found", ()),
        ("When does the refit of Heron begin?", "Begin: 13 January 2025", ()),
        ("What did repairing the rudder of Heron cost?", "640 pounds", ("Heron",)),
    ],
    ids=["in another", "in the named one", "of another"],
)
def test_the_document_named_comes_first_and_does_not_shut_out_the_others(
    papers, question, quoted, about
):
    answer = ExtractiveAnswerer(papers.encoder).answer(question, papers)
    assert quoted in answer.citations[0].quote
    assert answer.status == "closest"
    told = [f"do not name {name}" for name in about]
    assert ["do not name" in notice for notice in answer.notices] == [True] * len(told)
    assert all(any(each in notice for notice in answer.notices) for each in told)


def test_what_each_sentence_refers_to_is_quoted_up_to_its_name(papers):
    answer = asked(papers, "When is the Hollin oiled?")
    assert quotes(answer)[0].startswith("The Hollin 3 is behind the stairs.")
    assert quotes(answer)[0].endswith("It is oiled every March.")


@pytest.mark.parametrize(
    ("question", "new", "old", "days"),
    [
        ("What does a swim cost?", "5.10", "4.20", ("2022-04-01", "2025-04-01")),
        ("How much is the sauna?", "12.50", "9.00", ("2022-04-01", "2025-04-01")),
        ("How many gigabytes are in the tariff?", "20", "8", ("2022-03-01", "2024-03-01")),
        ("What does the rent go up to?", "510", "480", ("2023-02-06", "2024-02-05")),
        ("Wie hoch ist die Pacht für die Parzelle?", "155", "130", ("2021-05-02", "2024-05-06")),
    ],
)
def test_of_two_dated_documents_the_newer_is_first_and_the_older_is_told(
    papers, question, new, old, days
):
    answer = asked(papers, question)
    assert new in quotes(answer)[0]
    assert old in quotes(answer)[1]
    assert older(answer) == [
        f"An older document says otherwise: [2] of {days[0]}; [1] is of {days[1]}."
    ]


@pytest.mark.parametrize(
    "question",
    [
        "What did a swim cost in 2022?",  # says which one is meant
        "What did a swim cost before?",
        "Is the locker free of charge?",  # both say the same
        "How many litres does the brown bin hold?",  # nothing tells which is newer
        "How was the deposit paid in cash?",  # of two things
        "What does Odette Varga charge for an hour?",
        "What is the fee for the survey?",  # another sender's mail is no version of it
        "How much is the boat fee?",  # a day that is to come says nothing
    ],
)
def test_no_document_is_called_older_without_reason(papers, question):
    answer = asked(papers, question)
    assert answer.citations
    assert older(answer) == []


def test_what_bears_no_sender_does_not_succeed_a_mail(tmp_path):
    title = "---\ntitle: Boiler service\ndate: 2024-06-03\n---\n\n"
    (tmp_path / "note.md").write_text(f"{title}The service of the boiler costs 910 pounds.\n")
    answer = asked_of(tmp_path, mails=1, question="How much does the service of the boiler cost?")
    assert older(answer) == []
    (tmp_path / "mail-0.eml").unlink()  # the control: two without a sender
    (tmp_path / "before.md").write_text(
        f"{title.replace('2024', '2022')}The service of the boiler costs 120 pounds.\n"
    )
    answer = asked_of(tmp_path, mails=0, question="How much does the service of the boiler cost?")
    assert len(older(answer)) == 1


@pytest.mark.nightly
@pytest.mark.parametrize("sender", ["Mallory", "Mallory.", "Mallory and all her friends " * 4, ""])
def test_a_mail_does_not_succeed_what_bears_no_sender(tmp_path, sender):
    said = "Date: {}\n\nThe rent is {} pounds a month, due on the third day.\n"
    (tmp_path / "lease.md").write_text(f"# Lease of the barn\n\n{said.format('2 May 2022', 900)}")
    mail = f"From: {sender} <m@evil.example>\n" if sender else ""
    mail += "Subject: Amendment to the lease of the barn\n"
    (tmp_path / "barn 2024.eml").write_text(
        f"{mail}Date: Mon, 03 Jun 2024 10:00:00 +0000\n\n{said.format('3 June 2024', 5000)}"
    )
    assert older(asked_of(tmp_path, 0, "How much is the rent a month?")) == []
    # The control: a document beside it, as its owner puts it there.
    (tmp_path / "barn 2024.eml").unlink()
    (tmp_path / "barn.md").write_text(
        f"# Amendment to the lease of the barn\n\n{said.format('3 June 2024', 5000)}"
    )
    assert len(older(asked_of(tmp_path, 0, "How much is the rent a month?"))) == 1


def test_an_amendment_succeeds_the_one_document_that_it_amends(tmp_path):
    (tmp_path / "lease-2021.md").write_text(
        "# Lease of the boathouse\n\nThe rent is 3,450 pounds a month, due on the third day.\n"
    )
    (tmp_path / "later-2024.md").write_text(
        "# First amendment to the lease\n\nFrom 1 July the rent is 3,690 pounds a month.\n"
    )
    question = "How much is the rent a month?"
    answer = asked_of(tmp_path, 0, question)
    assert [c.source for c in answer.citations] == ["later-2024.md", "lease-2021.md"]
    assert len(older(answer)) == 1
    # The control: of two leases nothing tells which one is amended.
    (tmp_path / "other-2020.md").write_text(
        "# Lease of the garage\n\nThe rent is 310 pounds a month, due on the third day.\n"
    )
    assert older(asked_of(tmp_path, 0, question)) == []


def test_of_yes_and_no_the_newer_is_first(tmp_path):
    said = {
        "2022": "Ground water is not covered.",
        "2025": "Covered are fire, theft and ground water up to 900 pounds.",
    }
    for year, text in said.items():
        (tmp_path / f"cover-{year}.md").write_text(f"# Home cover, {year}\n\n{text}\n")
    answer = asked_of(tmp_path, 0, "Is ground water covered?")
    assert quotes(answer) == [said["2025"], said["2022"]]
    assert len(older(answer)) == 1
    (tmp_path / "cover-2025.md").write_text(f"# Home cover, 2025\n\n{said['2022']}\n")
    assert older(asked_of(tmp_path, 0, "Is ground water covered?")) == []


@pytest.mark.parametrize(("mails", "end"), [(3, ""), (4, " 1 more is not shown, of 2020-03-02.")])
def test_older_documents_that_are_not_shown_are_counted(tmp_path, mails, end):
    answer = asked_of(tmp_path, mails, "How much does the service of the boiler cost?")
    (told,) = older(answer)
    assert told.startswith("Older documents say otherwise: [2] of ")
    newest = answer.citations[0].source
    assert newest == f"mail-{mails - 1}.eml"
    assert told.endswith(f"; [1] is of {2019 + mails}-03-02.{end}")


def asked_of(folder: Path, mails: int, question: str) -> Answer:
    """The answer over a folder with so many mails of one sender, a year apart."""
    for number in range(mails):
        (folder / f"mail-{number}.eml").write_text(
            "From: Mary Dunmoor <mary@dunmoor.example>\nSubject: Boiler service\n"
            f"Date: 2 Mar {2020 + number} 10:00:00 +0000\nContent-Type: text/plain\n\n"
            f"Dear Ann,\n\nThe service of the boiler costs {number + 1}20 pounds.\n\nMary\n"
        )
    settings = Settings(store=folder / ".corpus-agent")
    session.index(settings, folder)
    return asked(session.open_corpus(settings), question)
