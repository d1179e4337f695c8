"""The document for who reads it anew each time: equal answers are said once.

Two thirds of its text are errors, and most operations have the same. Said once, a browser takes
half of the time for it.
"""

import json
from collections.abc import Mapping
from typing import Any


def with_shared_answers(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document of the same meaning, answers being references to `components.responses`."""
    names: dict[str, str] = {}

    def reference(answer: Mapping[str, Any]) -> dict[str, str]:
        name = names.setdefault(json.dumps(answer), f"answer_{len(names) + 1}")
        return {"$ref": f"#/components/responses/{name}"}

    def shortened(operation: Mapping[str, Any]) -> dict[str, Any]:
        answers = operation["responses"].items()
        return {**operation, "responses": {status: reference(each) for status, each in answers}}

    paths = {
        path: {method: shortened(operation) for method, operation in operations.items()}
        for path, operations in document["paths"].items()
    }
    responses = {name: json.loads(answer) for answer, name in names.items()}
    components = {**document["components"], "responses": responses}
    return {**document, "paths": paths, "components": components}
