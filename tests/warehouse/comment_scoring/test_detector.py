"""The vectorized language detector against the library, text by text."""

import pytest
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from tests.factories.labelled import labelled_comments
from warehouse.comment_scoring.detector import AT_ONCE, Detector
from warehouse.comment_scoring.language import CANDIDATES, languages_of

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector(CANDIDATES)


def test_guesses_as_the_library_does(detector: Detector) -> None:
    """Comments in eleven languages, their beginnings, long texts and unknown letters."""
    comments = [comment.text.lower() for comment in labelled_comments()]
    beginnings = [text[:length] for text in comments[::3] for length in (1, 3, 8)]
    texts = [*comments, *beginnings, " ".join(comments[:40]), "\U00012000", "i\u0307e\u0301"]
    assert len(texts) > AT_ONCE
    library = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    library.set_languages(CANDIDATES)

    for text, (code, share) in zip(texts, detector.guesses(texts), strict=True):
        expected, belief = library.classify(text)
        assert code == expected, text
        assert share == pytest.approx(belief, abs=1e-4), text


def test_each_text_has_its_result_in_its_place() -> None:
    texts = ["where did you get that", "", "este producto es muy bueno", "🔥🔥", "هذا رائع جدا"]

    assert languages_of(texts) == ["en", "zxx", "es", "zxx", "ar"]
    assert languages_of([]) == []
