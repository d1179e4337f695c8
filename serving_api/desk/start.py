"""`/`: redirects browsers to the desk; other clients get 404."""

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from starlette.exceptions import HTTPException

from serving_api.desk.cookies import PATH
from serving_api.desk.entry import SEE_OTHER
from serving_api.errors import RouteNotFound
from serving_api.pages import is_for_people

router = APIRouter(include_in_schema=False)


@router.get("/")
def show_start(request: Request) -> Response:
    """Redirect browsers to the desk. Raises 404 for other clients."""
    if is_for_people(request):
        return RedirectResponse(PATH, SEE_OTHER)
    raise HTTPException(RouteNotFound.status)
