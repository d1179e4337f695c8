"""The desk's routers, each with its URLs in a comment; `/` redirects browsers to the desk."""

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from starlette.exceptions import HTTPException

from serving_api.desk.campaign_pages.editing import router as desk_campaign_edit
from serving_api.desk.campaign_pages.routes import router as desk_campaigns
from serving_api.desk.comment_pages import router as desk_comments
from serving_api.desk.creator_pages.adding import router as desk_adding
from serving_api.desk.creator_pages.editing import router as desk_creator_edit
from serving_api.desk.creator_pages.pasting import router as desk_pasting
from serving_api.desk.creator_pages.routes import router as desk_creators
from serving_api.desk.disputes import router as desk_disputes
from serving_api.desk.entry import SEE_OTHER
from serving_api.desk.health.routes import router as desk_health
from serving_api.desk.inbox import router as desk_inbox
from serving_api.desk.overview import router as desk_overview
from serving_api.desk.passkeys.routes import files as desk_files
from serving_api.desk.passkeys.routes import router as desk_passkeys
from serving_api.desk.passkeys.signing_in import router as desk_signing_in
from serving_api.desk.password import router as desk_password
from serving_api.desk.payouts.accounts import router as desk_payout_accounts
from serving_api.desk.payouts.answering import router as desk_answering
from serving_api.desk.payouts.bonuses import router as desk_bonuses
from serving_api.desk.payouts.holds import router as desk_holds
from serving_api.desk.payouts.paying import router as desk_paying
from serving_api.desk.payouts.payment_pages import router as desk_payments
from serving_api.desk.payouts.payment_runs import router as desk_payment_runs
from serving_api.desk.payouts.routes import router as desk_payouts
from serving_api.desk.post_pages.routes import router as desk_posts
from serving_api.desk.post_pages.rows import router as desk_pictures
from serving_api.desk.routes import router as desk
from serving_api.desk.rule_lab.routes import router as desk_rule_lab
from serving_api.desk.search import router as desk_search
from serving_api.desk.sessions import PATH
from serving_api.desk.settings.apps import router as desk_apps
from serving_api.desk.settings.assignments import router as desk_assignments
from serving_api.desk.settings.budgets import router as desk_budgets
from serving_api.desk.settings.conversion_events import router as desk_conversion_events
from serving_api.desk.settings.goals import router as desk_goals
from serving_api.desk.settings.keys import router as desk_keys
from serving_api.desk.settings.members import router as desk_members
from serving_api.desk.settings.organization import router as desk_organization
from serving_api.desk.settings.payout_methods import router as desk_payout_methods
from serving_api.desk.settings.reports import router as desk_reports
from serving_api.desk.settings.share_links import router as desk_share_links
from serving_api.desk.settings.structures import router as desk_structures
from serving_api.desk.settings.webhooks import router as desk_webhooks
from serving_api.errors import RouteNotFound
from serving_api.pages import is_for_people

router = APIRouter(include_in_schema=False)


@router.get("/")
def show_start(request: Request) -> Response:
    """Redirect browsers to the desk. Raises 404 for other clients."""
    if is_for_people(request):
        return RedirectResponse(PATH, SEE_OTHER)
    raise HTTPException(RouteNotFound.status)


DESK: tuple[APIRouter, ...] = (
    # /
    router,
    # /desk, /desk/sign-in, /desk/sign-out
    desk,
    # /desk/sign-in/passkey
    desk_signing_in,
    # /desk/passkeys
    desk_passkeys,
    # /desk/password
    desk_password,
    # /desk/files/{name}
    desk_files,
    # /desk/projects/{project_id}
    desk_overview,
    # /desk/projects/{project_id}/search
    desk_search,
    # /desk/projects/{project_id}/creators/new, and {creator_id}/accounts
    desk_adding,
    # /desk/projects/{project_id}/creators/paste
    desk_pasting,
    # /desk/projects/{project_id}/creators/{creator_id}/edit
    desk_creator_edit,
    # /desk/projects/{project_id}/creators, ranked and {creator_id} below it
    desk_creators,
    # /desk/projects/{project_id}/campaigns/new, {campaign_id}/creators and {campaign_id}/edit
    desk_campaign_edit,
    # /desk/projects/{project_id}/campaigns, {campaign_id} and its costs below it
    desk_campaigns,
    # /desk/projects/{project_id}/posts, ranked, falling, rising and {video_id} below it
    desk_posts,
    # /desk/projects/{project_id}/posts/{video_id}/picture
    desk_pictures,
    # /desk/projects/{project_id}/comments
    desk_comments,
    # /desk/projects/{project_id}/payouts, and amounts/{accrual_id} below it
    desk_payouts,
    # /desk/projects/{project_id}/payouts/amounts/{accrual_id}/disputes/{dispute_id}
    desk_answering,
    # /desk/projects/{project_id}/payouts/amounts/{accrual_id}/release
    desk_holds,
    # /desk/projects/{project_id}/payouts/creators/{creator_id}
    desk_paying,
    # /desk/projects/{project_id}/payouts/payments, and {payment_id} below it
    desk_payments,
    # /desk/projects/{project_id}/payouts/run, and csv below it
    desk_payment_runs,
    # /desk/projects/{project_id}/payouts/creators/{creator_id}/account
    desk_payout_accounts,
    # /desk/projects/{project_id}/payouts/creators/{creator_id}/bonus
    desk_bonuses,
    # /desk/projects/{project_id}/rule-lab
    desk_rule_lab,
    # /desk/projects/{project_id}/inbox
    desk_inbox,
    # /desk/projects/{project_id}/inbox/disputes
    desk_disputes,
    # /desk/projects/{project_id}/health, and connect-links below it
    desk_health,
    # /desk/projects/{project_id}/settings, invite and invitations below it
    desk_members,
    # /desk/projects/{project_id}/settings/keys
    desk_keys,
    # /desk/projects/{project_id}/settings/apps
    desk_apps,
    # /desk/projects/{project_id}/settings/structures
    desk_structures,
    # /desk/projects/{project_id}/settings/structures/{structure_id}/creators
    desk_assignments,
    # /desk/projects/{project_id}/settings/payout-methods, and {payout_method_id} below it
    desk_payout_methods,
    # /desk/projects/{project_id}/settings/budgets, and {budget_id} below it
    desk_budgets,
    # /desk/projects/{project_id}/settings/conversion-events, and {event_id} below it
    desk_conversion_events,
    # /desk/projects/{project_id}/settings/goals, {creator_id} and {goal_id} below it
    desk_goals,
    # /desk/projects/{project_id}/settings/reports
    desk_reports,
    # /desk/projects/{project_id}/settings/share-links
    desk_share_links,
    # /desk/projects/{project_id}/settings/webhooks
    desk_webhooks,
    # /desk/projects/{project_id}/settings/organization
    desk_organization,
)
"""Routers at the root; they use a session instead of an API key."""
