"""Write what the questions of each language have in common, for the multilingual model.

python benchmarks/question_centres.py
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np

from benchmarks.common import xquad
from benchmarks.languages import LANGUAGES
from indexer import FolderEncoder, multilingual_model
from indexer.embed.languages import CENTRES, nearest_language


def main() -> None:
    questions = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    encoder = FolderEncoder(multilingual_model())
    means = [
        encoder.encode([encoder.query_prefix + each for each in of_language]).mean(axis=0)
        for of_language in questions.values()
    ]
    np.save(CENTRES, np.array(means, np.float16), allow_pickle=False)

    names, right = list(questions), []
    for language in LANGUAGES:
        asked = [each.text for each in xquad(language)[1]]
        vectors = encoder.encode([encoder.query_prefix + each for each in asked])
        right += [names[nearest_language(vector)] == language for vector in vectors]
    print(f"language right: {np.mean(right):.3f} of {len(right):,} questions")


if __name__ == "__main__":
    main()
