"""Statements as a holder of the key could forge them, and why the verifier refuses them."""

import copy
from typing import Any

import pytest

from serving_api.signing import Signer
from tests.factories.verifier import load_verifier

verifier = load_verifier()
OURS = Signer(b"a secret of a test, that nobody else knows", "payout-statements")


def resigned(document: Any) -> Any:
    """The document's statement with our signature."""
    return {"statement": document["statement"], **OURS.sign(document["statement"])}


def wrong(document: Any, keys: Any) -> str:
    """The verifier's error for a statement."""
    with pytest.raises(verifier.WrongError) as refusal:
        verifier.verify(document, keys)
    return str(refusal.value)


def put(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    """A copy of a document with another value at a path."""
    changed = copy.deepcopy(document)
    inner = changed
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    return changed
