"""`/analytics/aggregate/video-leaderboard` and `/analytics/aggregate/creator-leaderboard`."""

from serving_api.auth.dependencies import Reader
from serving_api.errors import InvalidParams, NotFound, RetentionExceeded
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.schemas import Params
from serving_api.openapi import answers
from serving_api.resources.analytics.leaderboards import schemas, service
from serving_api.resources.analytics.series.service import ParamsRoute

router = keyed_router("leaderboards", ParamsRoute)


@router.get(
    "/analytics/aggregate/video-leaderboard",
    responses=answers(InvalidParams, NotFound, RetentionExceeded),
)
def get_video_leaderboard(
    *, context: Reader, query: Params[schemas.VideoBoardQuery]
) -> schemas.Board[schemas.VideoEntity]:
    """Rank the counted videos of a project or campaign by what they gained."""
    return service.rank_videos(context, query)


@router.get(
    "/analytics/aggregate/creator-leaderboard",
    responses=answers(InvalidParams, NotFound, RetentionExceeded),
)
def get_creator_leaderboard(
    *, context: Reader, query: Params[schemas.CreatorBoardQuery]
) -> schemas.Board[schemas.CreatorEntity]:
    """Rank the creators of a project or campaign by what their counted videos gained."""
    return service.rank_creators(context, query)
