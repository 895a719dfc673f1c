"""A recognising process whose engine does what an attacker would who took it over.

rapidocr is loaded and has read a page before; each attempt becomes a line.
"""

import numpy as np

from indexer.extract.ocr.engine import RapidEngine
from indexer.extract.ocr.pictures import Picture
from indexer.extract.ocr.reading_order import Piece, TurnedPage
from indexer.parsers import recognising
from tests.attacks.obeying_worker import attempts, done

POLICY = recognising.POLICY
HANG, DIE, ATTACK = 101, 102, 103  # the height of a page says what is done


class Obeying(RapidEngine):
    def read(self, picture: Picture) -> tuple[list[Piece], TurnedPage, Picture]:
        height = picture.shape[0]
        if height in (HANG, DIE):
            done("wait" if height == HANG else "crash")
        if height != ATTACK:
            return super().read(picture)
        super().read(np.full((64, 64, 3), 255, np.uint8))  # everything is loaded
        pieces = [
            Piece(0, 40.0 * n, 400, 40.0 * n + 30, f"{name} {outcome} and so on and on", 1.0)
            for n, (name, outcome) in enumerate(attempts().items())
        ]
        return pieces, TurnedPage(*picture.shape[1::-1]), picture


class Jobs(recognising.Jobs):
    engine = Obeying
