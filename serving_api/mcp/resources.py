"""What an agent can read without a tool: notes documents, and the data model.

Which notes documents there are, `documents` lists.
"""

import json
from collections.abc import Mapping

from fastmcp import FastMCP
from fastmcp.exceptions import ResourceError

from serving_api.mcp.inside import Answer, Asked, ask
from serving_api.router import PREFIX

JSON = "application/json"
MARKDOWN = "text/markdown"

SCHEMA = "tracker://schema"
NOTES = "tracker://notes/{entity_type}/{entity_id}"


def add_resources(server: FastMCP) -> None:
    """Add the resources; each is one read of the REST API."""
    server.resource(
        SCHEMA,
        name="schema",
        title="Data model",
        description="The entities, their fields and how they are connected, as JSON.",
        mime_type=JSON,
    )(_schema)
    server.resource(
        NOTES,
        name="notes",
        title="Notes",
        description="What people wrote about a creator, campaign, video, project, member, payout or"
        " the organization, in Markdown; `entity_type` as in the tool `notes_get`. An empty text"
        " where nobody wrote anything. Who wrote it stands below each part.",
        mime_type=MARKDOWN,
    )(_notes)


async def _schema() -> str:
    return json.dumps((await read("schema")).envelope()["data"])


async def _notes(entity_type: str, entity_id: str) -> str:
    document = (await read("notes", entity_type, entity_id)).envelope()["data"]
    return str(document["readme"] or "")


async def read(*segments: str, query: Mapping[str, str] | None = None) -> Answer:
    """Return the answer of a GET. Raises ResourceError with REST's envelope where it is refused."""
    path = (*PREFIX.split("/"), *segments)
    answer = await ask(Asked(method="GET", segments=path, query=query or {}))
    if not answer.is_success:
        raise ResourceError(answer.body.decode())
    return answer
