"""`watch` with an encoder that needs no weights: python -m tests.support.watcher STORE ROOT.

The command in all but the model and the seal: same signals, same worker, a JSON object a line.
"""

import json
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path

from corpus_agent import render
from corpus_agent.cli.printing import IndexProgress
from corpus_agent.service.process import cancelled_by_signal
from corpus_agent.service.session import Callbacks, watch
from corpus_agent.settings import Settings
from tests.support.fakes import ToyEncoder


def say(content: Mapping[str, object]) -> None:
    print(json.dumps(content), flush=True)


def main(store: Path, root: Path) -> None:
    callbacks = Callbacks(
        outcome=lambda outcome: say(render.index_object(outcome)),
        notice=lambda line: say({"notice": line}),
        display=lambda: nullcontext(IndexProgress(None)),
    )
    with cancelled_by_signal() as cancel:
        watch(Settings(store=store), root, cancel.is_set, callbacks, encoder=ToyEncoder())
    say({"signal": cancel.signal})


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
