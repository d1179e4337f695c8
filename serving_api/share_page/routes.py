"""`/share/creator/{creator_id}`: the share page, and its files."""

from functools import partial
from pathlib import Path
from uuid import UUID

from fastapi import Depends, Request, Response

from serving_api.connect_page.service import ConnectPage, Logins
from serving_api.desk.periods import PeriodSent
from serving_api.kit.csv import saved_as
from serving_api.kit.services import Numbers, services_of
from serving_api.page_files import PageFiles
from serving_api.page_forms import Fields
from serving_api.pages import page, page_router
from serving_api.rate_limit.allowances import allowance_by_address
from serving_api.resources.tracking.share_links.repository import PATH, sections_of
from serving_api.share_page import links
from serving_api.share_page.content import content_of
from serving_api.share_page.links import try_pin
from serving_api.share_page.payouts import statement_for
from serving_api.share_page.pins import ShareSessions, pin_form
from warehouse.clock import system_clock

FILES_PATH = "/share/files"

_FOLDER = Path(__file__).with_name("static")
FILES = PageFiles(FILES_PATH, lambda: [_FOLDER / "page.css"])


TRIES_A_MINUTE = 10

router = page_router()

views = Depends(allowance_by_address("shareViews"))
unlocks = Depends(allowance_by_address("shareUnlocks", TRIES_A_MINUTE))


@router.get(PATH + "/{creator_id}", dependencies=[views])
def show_shared_creator(
    request: Request, numbers: Numbers, logins: Logins, creator_id: str, sent: PeriodSent
) -> Response:
    """Show the page after the PIN was entered, otherwise the PIN form."""
    with services_of(request).store.read_session() as session:
        link = links.find_open(session, creator_id)
        if not services_of(request)[ShareSessions].is_open(request, link):
            return pin_form(link, system_clock())
        content = content_of(session, numbers, logins, link, sent)
    return page(
        "share_creator.html",
        status=content.analytics.period.rejected.status if content.analytics else 200,
        loads_files=True,
        shows_pictures=True,
        draws_charts=content.analytics is not None,
        content=content,
        sections=sections_of(link),
        address_of=FILES.address_of,
        statements_path=f"{request.url.path}/statements",
        amounts_path=f"{request.url.path}/amounts",
        connect_path=services_of(request)[ConnectPage].links.path_for(link.creator_id),
    )


@router.get(PATH + "/{creator_id}/statements/{accrual_id}", dependencies=[views])
def save_statement(request: Request, creator_id: str, accrual_id: UUID) -> Response:
    """Return an amount's signed statement as a file, after the PIN was entered."""
    services = services_of(request)
    with services.store.read_session() as session:
        link = links.find_open(session, creator_id)
        if not services[ShareSessions].is_open(request, link):
            return pin_form(link, system_clock())
        statement = statement_for(session, services, link, accrual_id)
    return Response(
        statement.model_dump_json(indent=2),
        media_type="application/json",
        headers={
            **saved_as(f"statement-{accrual_id}.json"),
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
        },
    )


@router.post(PATH + "/{creator_id}", dependencies=[unlocks])
def unlock_shared_creator(request: Request, creator_id: str, fields: Fields) -> Response:
    """Check the PIN; wrong ones are counted."""
    return try_pin(request, partial(links.lock_open, creator_id=creator_id), fields.get("pin", ""))


@router.get(FILES_PATH + "/{name}")
async def show_file(name: str) -> Response:
    return FILES.answer(name)
