"""`/schema`."""

from serving_api.auth.dependencies import ReadKey
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.envelope import Envelope
from serving_api.openapi import answers
from serving_api.resources.analytics.data_model import schemas, service

router = keyed_router("service")


@router.get("/schema", responses=answers())
def get_schema(*, _caller: ReadKey) -> Envelope[schemas.DataModel]:
    """Return the data model: entities, their fields and relationships."""
    return Envelope(data=service.data_model())
