"""`/connect/{token}` and the OAuth callback `/connect/callback/{platform}`."""

from fastapi import Depends, Request, Response
from fastapi.responses import RedirectResponse
from psycopg.errors import LockNotAvailable

from scrapers.consent.login import Login, let_go
from serving_api.connect_page import arrival
from serving_api.connect_page.arrival import CompletedAttempt, GrantedAccess
from serving_api.connect_page.offers import Offer, offer_of
from serving_api.connect_page.service import PATH, ConnectPage, Logins
from serving_api.errors import ApiError, InvalidRequest, NotFound
from serving_api.kit.services import Encrypting, services_of
from serving_api.oauth.authorization_request import source_of
from serving_api.page_forms import Fields
from serving_api.pages import page, page_router
from serving_api.rate_limit.allowances import allowance_by_address
from warehouse.clock import system_clock
from warehouse.connections import rows
from warehouse.encryption import Encryption
from warehouse.operational.audit import AuditEvent, recorded
from warehouse.operational.models import Account
from warehouse.operational.session_lock import session_lock
from warehouse.platforms import PLATFORM_NAMES

COOKIE = "connect"
SECONDS = int(arrival.LIFETIME.total_seconds())
SEE_OTHER, BAD_REQUEST = 303, 400
A_MINUTE = 10
BEING_CHANGED = "Your access is being changed by another process. Try again in a minute."

router = page_router()

views = Depends(allowance_by_address("connectViews"))
begins = Depends(allowance_by_address("connectBegins", A_MINUTE))
returns = Depends(allowance_by_address("connectReturns", A_MINUTE))


@router.get(PATH + "/{token}", dependencies=[views])
def show_connectable(request: Request, logins: Logins, token: str) -> Response:
    offer = _offer(request, logins, token)
    leads_to = sorted(
        {source_of(_somewhere(logins[account.platform])) for account in offer.accounts}
    )
    return page("connect.html", offer=offer, names=PLATFORM_NAMES, form_leads_to=" ".join(leads_to))


@router.post(PATH + "/{token}", dependencies=[begins])
def begin_to_connect(
    request: Request, logins: Logins, encryption: Encrypting, token: str, fields: Fields
) -> Response:
    account = _offer(request, logins, token).account(fields.get("account_id", ""))
    with services_of(request).store.write_session() as session:
        begun = arrival.begin(
            session, account, encryption, system_clock(), browser=request.cookies.get(COOKIE)
        )
    address = logins[account.platform].address(
        state=begun.state,
        verifier=begun.verifier,
        redirect_uri=services_of(request)[ConnectPage].links.redirect_uri(account.platform),
    )
    sent = RedirectResponse(address, SEE_OTHER)
    _set_cookie(request, sent, begun.browser)
    return sent


@router.get(PATH + "/callback/{platform}", dependencies=[returns])
def come_back(request: Request, logins: Logins, encryption: Encrypting, platform: str) -> Response:
    """Handle the OAuth callback; nothing sent from here carries its address as referrer."""
    login = logins.get(platform)
    if login is None:
        raise NotFound("This platform cannot be connected.")
    try:
        returned = _consume_attempt(request, encryption, platform)
    except ApiError as error:
        return _not_connected_page(error.message)
    try:
        connected = _connected(request, login, returned, encryption)
    except (ApiError, LockNotAvailable) as error:
        message = error.message if isinstance(error, ApiError) else BEING_CHANGED
        return _not_connected_page(message, again=_way_back(request, returned))
    return _private(page("connected.html", connected=connected, name=PLATFORM_NAMES[platform]))


def _somewhere(login: Login) -> str:
    """Return the platform's login URL, without parameters."""
    return login.address(state="", verifier="", redirect_uri="")


def _offer(request: Request, logins: Logins, token: str) -> Offer:
    with services_of(request).store.read_session() as session:
        return offer_of(session, services_of(request)[ConnectPage].links, logins, token)


def _consume_attempt(request: Request, encryption: Encryption, platform: str) -> CompletedAttempt:
    """Return the browser's attempt. Raises InvalidRequest."""
    state, browser = request.query_params.get("state", ""), request.cookies.get(COOKIE, "")
    with services_of(request).store.write_session() as session:
        return arrival.consume(
            session, state, browser, encryption, system_clock(), platform=platform
        )


def _connected(
    request: Request, login: Login, returned: CompletedAttempt, encryption: Encryption
) -> Account:
    """Connect the account and return it. Raises ApiError with a message for the creator."""
    query = request.query_params
    if "error" in query or not query.get("code"):
        raise InvalidRequest(
            f"You did not allow access at {PLATFORM_NAMES[login.platform]}. Try again to connect."
        )
    redirect_uri = services_of(request)[ConnectPage].links.redirect_uri(login.platform)
    arrived = arrival.arrive(login, returned, query["code"], redirect_uri)
    store = services_of(request).store
    with session_lock(store, rows.consent_key(login.platform, arrived.person.subject)):
        try:
            arrival.require_valid(login, arrived)
            return _store_connection(request, login, returned, arrived, encryption)
        except ApiError:
            with store.read_session() as session:
                is_used = arrival.is_in_use(session, login.platform, arrived.person)
            if not is_used:
                let_go(login, arrived.grant)
            raise


def _store_connection(
    request: Request,
    login: Login,
    returned: CompletedAttempt,
    arrived: GrantedAccess,
    encryption: Encryption,
) -> Account:
    audit_event = AuditEvent(
        channel="page",
        action="connect_account",
        organization_id=returned.organization_id,
        request_id=request.state.request_id,
        ids={"account_id": str(returned.account_id)},
    )
    with (
        services_of(request).store.write_session() as session,
        recorded(session, lambda: audit_event),
    ):
        _, earlier = arrival.connect(
            session, returned, arrived, encryption=encryption, now=system_clock()
        )
        account = session.get_one(Account, returned.account_id)
    if earlier is not None:
        let_go(login, earlier)
    return account


def _way_back(request: Request, returned: CompletedAttempt) -> str:
    with services_of(request).store.read_session() as session:
        account = session.get_one(Account, returned.account_id)
    return services_of(request)[ConnectPage].links.path_for(account.creator_id)


def _not_connected_page(message: str, *, again: str = "") -> Response:
    return _private(page("not_connected.html", status=BAD_REQUEST, message=message, again=again))


def _private(answer: Response) -> Response:
    """Stop browsers from sending the URL, which contains the code, as referrer."""
    answer.headers["Referrer-Policy"] = "no-referrer"
    return answer


def _set_cookie(request: Request, response: Response, browser: str) -> None:
    """Set the attempt's cookie. `lax`, because the callback is a cross-site navigation."""
    response.set_cookie(
        COOKIE,
        browser,
        max_age=SECONDS,
        path=PATH,
        secure=services_of(request).settings.base_url.startswith("https:"),
        httponly=True,
        samesite="lax",
    )
