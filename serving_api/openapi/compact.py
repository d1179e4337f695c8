"""The served document, with equal error responses as shared components.

Three quarters of FastAPI's text are errors, and most operations have the same ones.
"""

import json
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI

from serving_api.openapi.document import FIRST_ERROR


def compact_json(app: FastAPI) -> bytes:
    """Return the application's document as it is served."""
    return json.dumps(with_shared_errors(app.openapi()), separators=(",", ":")).encode()


def with_shared_errors(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return an equivalent document with errors in `components.responses`."""
    names: dict[str, str] = {}
    per_status: dict[str, int] = {}

    def reference(status: str, response: Mapping[str, Any]) -> Mapping[str, Any]:
        if int(status) < FIRST_ERROR:
            return response
        text = json.dumps(response)
        if text not in names:
            per_status[status] = per_status.get(status, 0) + 1
            names[text] = f"Error{status}Set{per_status[status]}"
        return {"$ref": f"#/components/responses/{names[text]}"}

    def shortened(operation: Mapping[str, Any]) -> dict[str, Any]:
        responses = operation["responses"].items()
        return {**operation, "responses": {code: reference(code, each) for code, each in responses}}

    paths = {
        path: {method: shortened(operation) for method, operation in operations.items()}
        for path, operations in document["paths"].items()
    }
    responses = {name: json.loads(text) for text, name in names.items()}
    components = {**document["components"], "responses": responses}
    return {**document, "paths": paths, "components": components}
