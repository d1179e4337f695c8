"""Statements as somebody could sign them who has the key, and why the verifier refuses them."""

import copy
from typing import Any

import pytest

from serving_api.signing import Signer
from tests.factories.verifier import load_verifier

verifier = load_verifier()
OURS = Signer(b"a secret of a test, that nobody else knows", "payout-statements")


def resigned(document: Any) -> Any:
    """The statement of a document, with our signature."""
    return {"statement": document["statement"], **OURS.sign(document["statement"])}


def wrong(document: Any, keys: Any) -> str:
    """Why a statement is refused."""
    with pytest.raises(verifier.WrongError) as refusal:
        verifier.verify(document, keys)
    return str(refusal.value)


def put(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    """A copy of a document with another value at one place."""
    changed = copy.deepcopy(document)
    inner = changed
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    return changed
