"""rapidocr on one picture: frames of text, which way is up, and what each frame says.

The only module that knows rapidocr. Its models lie in its package; they are named by path, so that
its code for downloads is never reached.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING
from unicodedata import east_asian_width

import numpy as np
from numpy.typing import NDArray

from indexer.extract.ocr.pictures import Picture
from indexer.extract.ocr.reading_order import Piece, TurnedPage, skew, turned

if TYPE_CHECKING:
    from rapidocr import RapidOCR

Frame = NDArray[np.float32]  # (4, 2): corners from the top left, clockwise

# What the first look at a picture is made at: enough to see lines, not to read them.
LOOK_SIDE = 736
# A picture holds text to read if it shows so many lines, or if lines cover so much of it.
MIN_LOOK_LINES = 6
MIN_LOOK_SHARE = 0.02
STRIP_PIECES = 8  # shown to Tesseract before it is given the page
_BLANK_SPREAD = 12  # of 255: between the darkest and the lightest of an empty page
_ASPECT = 2.0  # of a frame that shows in which direction lines run
_VOTERS = 12  # frames that are asked which way is up


def is_blank(picture: Picture) -> bool:
    """Whether there is nothing on the page but paper."""
    grey = picture[::4, ::4].mean(axis=2)
    low, high = np.percentile(grey, (0.1, 99.9))
    return bool(high - low < _BLANK_SPREAD)


def strip(picture: Picture, pieces: Sequence[Piece]) -> Picture:
    """The pieces of a page that were read worst, one below the other, for a trial."""
    wide = [piece for piece in pieces if piece.right - piece.left > 2 * piece.height]
    worst = sorted(wide or pieces, key=lambda piece: (not piece.is_sparse, piece.confidence))
    crops = [
        picture[max(0, int(p.top)) : int(p.bottom) + 1, max(0, int(p.left)) : int(p.right) + 1]
        for p in worst[:STRIP_PIECES]
    ]
    cut = [np.pad(c, ((12, 12), (12, 12), (0, 0)), mode="edge") for c in crops if c.size]
    width = max((crop.shape[1] for crop in cut), default=0)
    rest = (((0, 0), (0, width - crop.shape[1]), (0, 0)) for crop in cut)
    filled = [np.pad(c, pad, constant_values=255) for c, pad in zip(cut, rest, strict=True)]
    return np.concatenate(filled) if filled else picture


def grey(picture: Picture) -> NDArray[np.uint8]:
    """The picture without its colours, (height, width)."""
    import cv2

    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)


class RapidEngine:
    """rapidocr's models, loaded when first needed."""

    def __init__(self, threads: int) -> None:
        self._threads = threads

    def shows_text(self, picture: Picture) -> bool:
        """Whether a first look at a picture finds lines of text, as on a page, not on a photo."""
        import cv2

        scale = LOOK_SIDE / max(picture.shape[:2])
        if scale < 1.0:
            small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
            picture = np.asarray(small)
        frames = [frame for frame in self._frames(picture) if _aspect(frame) > 1.5]
        area = sum(float(cv2.contourArea(frame)) for frame in frames)
        share = area / (picture.shape[0] * picture.shape[1])
        return len(frames) >= MIN_LOOK_LINES or (len(frames) > 1 and share >= MIN_LOOK_SHARE)

    def read(self, picture: Picture) -> tuple[list[Piece], TurnedPage, Picture]:
        """The text of a page, how it was turned to be read, and the picture that is upright."""
        frames = self._frames(picture)
        degrees = 0
        if _is_sideways(frames):
            picture, degrees = np.ascontiguousarray(np.rot90(picture)), 90
            frames = self._frames(picture)
        if len(frames) and self._is_upside_down(picture, frames):
            picture = np.ascontiguousarray(np.rot90(picture, 2))
            degrees += 180
            corner = np.array(picture.shape[1::-1], np.float32)
            frames = [(corner - frame)[[2, 3, 0, 1]].astype(np.float32) for frame in frames]
        corners = [[(float(x), float(y)) for x, y in frame] for frame in frames]
        angle = skew(corners)
        crops = self._rapidocr.crop_text_regions(picture, np.asarray(frames)) if frames else []
        pieces = [
            Piece(*turned(frame, angle), text, sure)
            for frame, (text, sure) in zip(corners, self._read_crops(crops), strict=True)
            if text
        ]
        height, width = picture.shape[:2]
        return pieces, TurnedPage(width, height, degrees, angle), picture

    @cached_property
    def _rapidocr(self) -> RapidOCR:
        from rapidocr import RapidOCR

        return RapidOCR(params=_parameters(self._threads))

    def _frames(self, picture: Picture) -> list[Frame]:
        """The frames of text, each float32 (4, 2): corners from the top left, clockwise."""
        found = self._rapidocr(picture, use_det=True, use_cls=False, use_rec=False).boxes
        return [] if found is None else [np.asarray(frame, np.float32) for frame in found]

    def _is_upside_down(self, picture: Picture, frames: Sequence[Frame]) -> bool:
        """Whether most of the widest lines are read better when turned around."""
        widest = sorted(frames, key=_sides, reverse=True)[:_VOTERS]
        crops = self._rapidocr.crop_text_regions(picture, np.asarray(widest))
        _, voted = self._rapidocr.cls_and_rotate([crop.copy() for crop in crops])
        against = sum(label == "180" for label, _ in voted.cls_res)
        if against * 3 < len(crops):
            return False
        upright = sum(sure for _, sure in self._read_crops(crops))
        inverted = [np.ascontiguousarray(np.rot90(crop, 2)) for crop in crops]
        return sum(sure for _, sure in self._read_crops(inverted)) > upright

    def _read_crops(self, crops: Sequence[Picture]) -> list[tuple[str, float]]:
        """What each piece of a picture says, and how surely."""
        if not crops:
            return []
        result = self._rapidocr.recognize_txt(list(crops))
        found = []
        for crop, text, score, word in zip(
            crops, result.txts, result.scores, result.word_results, strict=True
        ):
            columns = [column for columns in word.word_cols or () for column in columns]
            all_columns = max(1.0, word.line_txt_len)
            whole = " ".join(spaced(text, columns, all_columns, crop).split())
            found.append((whole, float(score)))
        return found


def _parameters(threads: int) -> dict[str, object]:
    """Settings of rapidocr: its own models by path, nothing filtered, nothing written."""
    found = importlib.util.find_spec("rapidocr")
    assert found is not None and found.origin is not None
    models = Path(found.origin).parent / "models"
    return {
        "Global.text_score": 0.0,
        "Global.return_word_box": True,  # where each letter was seen
        "Global.log_level": "critical",
        "EngineConfig.onnxruntime.intra_op_num_threads": threads,
        "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        "Det.model_path": str(models / "PP-OCRv6_det_small.onnx"),
        "Rec.model_path": str(models / "PP-OCRv6_rec_small.onnx"),
        "Cls.model_path": str(models / "ch_ppocr_mobile_v2.0_cls_mobile.onnx"),
    }


def _sides(frame: Frame) -> tuple[float, float]:
    """Width and height of a frame."""
    return float(np.linalg.norm(frame[1] - frame[0])), float(np.linalg.norm(frame[3] - frame[0]))


def _aspect(frame: Frame) -> float:
    """How much longer a frame is than it is high, in whichever direction."""
    return max(_sides(frame)) / max(1.0, min(_sides(frame)))


def _is_sideways(frames: Sequence[Frame]) -> bool:
    """Whether lines run from top to bottom: most of the long frames stand on their short side."""
    long = [_sides(frame) for frame in frames if _aspect(frame) > _ASPECT]
    return sum(high for wide, high in long if high > wide) > sum(
        wide for wide, high in long if high <= wide
    )


# --- Spaces that the model leaves out, put back where the picture shows a gap ---------------------
#
# Its letters come with the columns of the picture in which they were seen. Between the cells of a
# table and between groups of figures it may see no space, and two numbers become one.

# In columns of the model: letters stand 2 to 4 apart, words 3 to 6, cells 7 and more.
MIN_CELL_COLUMNS = 7
MIN_CELL_RATIO = 2.2  # to the median of the piece, so that letter-spaced words stay whole
MIN_FIGURE_COLUMNS = 4
# Paper without ink between two figures, as parts of the piece's height. All figures of a number are
# as broad as each other, so that the thin 1 has paper beside it, most behind it. Between figures of
# one number there was up to .19, .22 before and .28 behind a 1 (six fonts, five heights).
MIN_FIGURE_GAP = 0.23
BEFORE_ONE, BEHIND_ONE = 0.04, 0.09
_INK = 0.5  # between the darkest and the lightest of a piece


def spaced(text: str, columns: Sequence[int], all_columns: float, crop: NDArray[np.uint8]) -> str:
    """`text` with a space in each wide gap; `columns` are those of its letters, spaces left out."""
    letters = [index for index, char in enumerate(text) if not char.isspace()]
    if len(letters) != len(columns) or len(letters) < 2:
        return text
    usual = median(second - first for first, second in pairwise(columns))
    parts = [text[: letters[0]]]
    for place, index in enumerate(letters):
        if place and index == letters[place - 1] + 1:
            ends = (columns[place - 1], columns[place])
            if _is_gap(text[index - 1], text[index], ends, usual, all_columns, crop):
                parts.append(" ")
        end = letters[place + 1] if place + 1 < len(letters) else len(text)
        parts.append(text[index:end])
    return "".join(parts)


def _is_gap(
    before: str,
    after: str,
    ends: tuple[int, int],
    usual: float,
    all_columns: float,
    crop: NDArray[np.uint8],
) -> bool:
    if east_asian_width(before) in "WF" or east_asian_width(after) in "WF":
        return False
    columns = ends[1] - ends[0]
    if columns >= MIN_CELL_COLUMNS and columns >= MIN_CELL_RATIO * usual:
        return True
    if not (before.isdigit() and after.isdigit()) or columns < MIN_FIGURE_COLUMNS:
        return False
    least = MIN_FIGURE_GAP + BEFORE_ONE * (after == "1") + BEHIND_ONE * (before == "1")
    return _clear(ends, all_columns, crop) >= least


def _clear(ends: tuple[int, int], all_columns: float, crop: NDArray[np.uint8]) -> float:
    """The widest paper without ink between two columns, as part of the piece's height."""
    height, width = crop.shape[:2]
    left, right = (int((column + 0.5) / all_columns * width) for column in ends)
    grey = crop[:, max(0, left) : right + 1].mean(axis=2)
    if grey.size == 0:
        return 0.0
    low, high = float(crop.min()), float(crop.max())
    edge = low + _INK * (high - low)
    run = longest = 0
    for clear in (grey > edge).all(axis=0):
        run = run + 1 if clear else 0
        longest = max(longest, run)
    return float(longest / height)
