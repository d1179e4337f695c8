"""`/scrape-jobs`."""

from uuid import UUID

from serving_api.auth.dependencies import Reader
from serving_api.errors import NotFound
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.envelope import Envelope
from serving_api.openapi import answers
from serving_api.resources.tracking.scrape_jobs import schemas, service

router = keyed_router("scrape jobs")


@router.get("/scrape-jobs/{job_id}", responses=answers(NotFound))
def get_scrape_job(*, errand: Reader, job_id: UUID) -> Envelope[schemas.ScrapeJob]:
    """Tell how a scrape that was asked for is doing."""
    return Envelope(data=service.read_job(errand, job_id))
