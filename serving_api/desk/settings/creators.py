"""Finding a creator of a project, whom a goal or a share link is for."""

from uuid import UUID

from serving_api.desk.creators import UNNAMED
from serving_api.errors import NotFound
from serving_api.kit.envelope import Page
from serving_api.kit.request_context import RequestContext
from serving_api.resources.tracking.creators import service as creators
from serving_api.resources.tracking.creators.schemas import Creator, CreatorQuery

ON_A_PAGE = 25


def found_creators(
    context: RequestContext, project_id: UUID, search: str, cursor: str | None
) -> Page[Creator]:
    """Return a page of a project's creators whose name or handle has a text, newest first."""
    asked = CreatorQuery(
        project_id=project_id, search=search.strip()[:200] or None, limit=ON_A_PAGE, cursor=cursor
    )
    return creators.list_creators(context, asked)


def creator_in(context: RequestContext, project_id: UUID, creator_id: UUID) -> Creator:
    """Return a creator of a project. Raises NotFound."""
    creator = creators.read_creator(context, creator_id, include_pin=False)
    if creator.project_id != project_id:
        raise NotFound.named("Creator")
    return creator


def name_of(creator: Creator) -> str:
    """Return what a creator is called."""
    return creator.display_name or creator.handle or UNNAMED
