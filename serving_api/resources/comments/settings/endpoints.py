"""`/comment-settings`."""

from serving_api.auth.dependencies import AdminReader, AdminWriter
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.envelope import Envelope
from serving_api.openapi import answers
from serving_api.resources.comments.settings import schemas, service

router = keyed_router("comment settings")


@router.get("/comment-settings", responses=answers())
def get_comment_settings(*, errand: AdminReader) -> Envelope[schemas.CommentSettings]:
    """Return from how many comments on they are collected, and the terms they are searched for."""
    return Envelope(data=service.read(errand))


@router.patch("/comment-settings", responses=answers())
def change_comment_settings(
    *, errand: AdminWriter, changes: schemas.CommentSettingsChanges
) -> Envelope[schemas.CommentSettings]:
    """Change from how many comments on they are collected, or the terms they are searched for."""
    return Envelope(data=service.change(errand, changes))
