"""`/desk/projects/{project_id}/posts/{video_id}/picture`: a post's picture, if stored."""

from collections.abc import Collection, Mapping
from pathlib import PurePosixPath
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Response

from serving_api.desk.cookies import PATH
from serving_api.desk.entry import Entry, desk_router
from serving_api.errors import NotFound
from serving_api.files.kinds import media_type_of
from serving_api.files.routes import HARMLESS
from serving_api.files.signed_urls import Files
from serving_api.http.sessions import BucketDbs
from serving_api.kit.principals import Principal
from serving_api.kit.request_context import RequestContext
from serving_api.rate_limit.allowances import allowance_by_address
from serving_api.resources.tracking.videos import thumbnails

PICTURES_A_MINUTE = 6_000
"""A page shows 50, and an office may share one address."""
CACHE_HEADERS = {
    "Cache-Control": "private, max-age=86400, immutable",  # a new picture has a new URL
    "Content-Security-Policy": HARMLESS,
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}

pictures = Depends(allowance_by_address("deskPictures", PICTURES_A_MINUTE))

router = desk_router()


@router.get(f"{PATH}/projects/{{project_id}}/posts/{{video_id}}/picture", dependencies=[pictures])
def show_picture(
    caller: Annotated[Principal, Depends(Entry("read"))],
    sessions: BucketDbs,
    files: Files,
    project_id: UUID,
    video_id: UUID,
) -> Response:
    """Show a post's picture to members who can read the post."""
    with sessions() as session:
        path = thumbnails.path_of(session, caller.organization_id, video_id, project_id)
    content = files.read(path) if path else None
    if path is None or content is None:
        raise NotFound.named("Picture")
    return Response(content, media_type=media_type_of(path), headers=CACHE_HEADERS)


def pictures_of(context: RequestContext, video_ids: Collection[UUID]) -> Mapping[UUID, str]:
    """Return a version of each stored picture, for its URL."""
    paths = thumbnails.paths_of(context.session, context.organization_id, video_ids)
    return {video_id: PurePosixPath(path).stem[:16] for video_id, path in paths.items()}
