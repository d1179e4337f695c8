"""`/charts/{name}`: scripts and style sheets of charts."""

from fastapi import Response

from serving_api.charts.files import FILES, PATH
from serving_api.pages import page_router

router = page_router()


@router.get(PATH + "/{name}")
async def show_chart_file(name: str) -> Response:
    return FILES.answer(name)
