"""All routers, each with its URLs in a comment."""

from fastapi import APIRouter

from serving_api.changelog.endpoints import pages as changelog_pages
from serving_api.changelog.endpoints import router as changelog
from serving_api.charts.routes import router as chart_files
from serving_api.connect_page.routes import router as connect_pages
from serving_api.desk.router import DESK
from serving_api.files.routes import router as files
from serving_api.oauth.endpoints import router as oauth
from serving_api.oauth.pages import router as oauth_pages
from serving_api.openapi import endpoints as openapi
from serving_api.process import health, metrics
from serving_api.report_page import router as report_pages
from serving_api.resources.analytics.annotations.service import router as annotations
from serving_api.resources.analytics.campaign_costs import router as campaign_costs
from serving_api.resources.analytics.data_model import router as data_model
from serving_api.resources.analytics.exports.endpoints import router as exports
from serving_api.resources.analytics.exports.endpoints import series as series_exports
from serving_api.resources.analytics.forecasts import router as forecasts
from serving_api.resources.analytics.leaderboards.endpoints import router as leaderboards
from serving_api.resources.analytics.project_views import router as project_views
from serving_api.resources.analytics.series.service import router as analytics
from serving_api.resources.comments.collected.endpoints import router as comments
from serving_api.resources.comments.settings import router as comment_settings
from serving_api.resources.organization.api_keys.service import router as api_keys
from serving_api.resources.organization.connected_apps import router as connected_apps
from serving_api.resources.organization.invitations.pages import router as invitation_pages
from serving_api.resources.organization.invitations.service import router as invitations
from serving_api.resources.organization.me import router as me
from serving_api.resources.organization.members.service import router as members
from serving_api.resources.organization.organizations import router as organizations
from serving_api.resources.organization.platform import router as platform
from serving_api.resources.organization.projects import router as projects
from serving_api.resources.organization.webhooks.endpoints import router as webhooks
from serving_api.resources.payouts.accounts import router as payout_accounts
from serving_api.resources.payouts.accruals.endpoints import router as payout_accruals
from serving_api.resources.payouts.assignments.endpoints import router as payout_assignments
from serving_api.resources.payouts.balance import router as payout_balance
from serving_api.resources.payouts.budgets.service import router as budgets
from serving_api.resources.payouts.disputes.service import router as payout_disputes
from serving_api.resources.payouts.methods.endpoints import router as payout_methods
from serving_api.resources.payouts.payments.endpoints import router as payout_payments
from serving_api.resources.payouts.receipts import router as payout_receipts
from serving_api.resources.payouts.simulations.service import router as payout_simulations
from serving_api.resources.payouts.structures.service import router as payout_structures
from serving_api.resources.programs.anomalies import router as anomalies
from serving_api.resources.programs.campaigns.endpoints import router as campaigns
from serving_api.resources.programs.content_groups.service import router as content_groups
from serving_api.resources.programs.conversion_events.endpoints import router as conversion_events
from serving_api.resources.programs.conversions.endpoints import router as conversions
from serving_api.resources.programs.goal_compliance.service import router as goal_compliance
from serving_api.resources.programs.goals.service import router as goals
from serving_api.resources.programs.notes.service import router as notes
from serving_api.resources.programs.program_health.service import router as program_health
from serving_api.resources.programs.project_coverage import router as project_coverage
from serving_api.resources.programs.reports import router as reports
from serving_api.resources.programs.tags.endpoints import router as tags
from serving_api.resources.programs.tags.endpoints import routers as item_tags
from serving_api.resources.tracking.accounts.endpoints import router as accounts
from serving_api.resources.tracking.connections.service import router as connections
from serving_api.resources.tracking.creators.endpoints import router as creators
from serving_api.resources.tracking.deactivations.service import router as deactivations
from serving_api.resources.tracking.imports import router as imports
from serving_api.resources.tracking.inbox import router as inbox
from serving_api.resources.tracking.scrape_jobs import router as scrape_jobs
from serving_api.resources.tracking.share_links.service import router as share_links
from serving_api.resources.tracking.video_tracking import router as video_tracking
from serving_api.resources.tracking.videos.endpoints import router as videos
from serving_api.share_page.amount_routes import router as share_amounts
from serving_api.share_page.routes import router as share_pages
from serving_api.signing import router as key_set

PREFIX = "/api/v2"

KEYED: tuple[APIRouter, ...] = (
    # /me
    me,
    # /user/organizations, /organizations/{organization_id}
    organizations,
    # /members, /organizations/{organization_id}/members
    members,
    # /organizations/{organization_id}/invitations
    invitations,
    # /organizations/{organization_id}/api-keys
    api_keys,
    # /organizations/{organization_id}/connected-apps
    connected_apps,
    # /webhook-endpoints, /webhook-events
    webhooks,
    # /admin
    platform,
    # /projects, /organizations/{organization_id}/projects
    projects,
    # /projects/{project_id}/program-health
    program_health,
    # /projects/{project_id}/view-coverage
    project_coverage,
    # /projects/{project_id}/anomalies
    anomalies,
    # /projects/{project_id}/views-by-day
    project_views,
    # /projects/{project_id}/imports
    imports,
    # /campaigns/{campaign_id}/costs
    campaign_costs,
    # /creators, /projects/{project_id}/creators
    creators,
    # /accounts, /creators/{creator_id}/accounts
    accounts,
    # /accounts/{account_id}/deactivate, /creators/{creator_id}/deactivate, and reactivate
    deactivations,
    # /videos/{video_id}/comments, /projects/{project_id}/comments, comment-signals, comment-flags
    comments,
    # /comment-settings
    comment_settings,
    # /creators/{creator_id}/connect-links, /accounts/{account_id}/connection
    connections,
    # /creators/{creator_id}/payout-account
    payout_accounts,
    # /creators/{creator_id}/payout-balance
    payout_balance,
    # /payout-accruals
    payout_accruals,
    # /budgets
    budgets,
    # /payout-disputes
    payout_disputes,
    # /payout-methods
    payout_methods,
    # /payout-payments
    payout_payments,
    # /payouts/payment-receipts
    payout_receipts,
    # /payout-structures/simulate, /payout-structures/search
    payout_simulations,
    # /payout-structures
    payout_structures,
    # /payout-structures/{structure_id}/assignments
    payout_assignments,
    # /creators/{creator_id}/share-link, /share-links
    share_links,
    # /projects/{project_id}/reports, /reports/{report_id}
    reports,
    # /videos, /projects/{project_id}/videos
    videos,
    # /videos/{video_id}/tracking-*, /projects/{project_id}/videos/bulk-tracking-*
    video_tracking,
    # /projects/{project_id}/inbox
    inbox,
    # /content-groups
    content_groups,
    # /campaigns, /campaigns/{campaign_id}/items, /projects/{project_id}/campaigns
    campaigns,
    # /creators/{creator_id}/goals
    goals,
    # /projects/{project_id}/goal-compliance, /analytics/aggregate/goal-compliance
    goal_compliance,
    # /projects/{project_id}/conversion-events
    conversion_events,
    # /projects/{project_id}/conversions
    conversions,
    # /tags
    tags,
    # /creators/{creator_id}/tags, and of campaigns, accounts and videos
    *item_tags,
    # /notes, /creators/{creator_id}/notes, /videos/{video_id}/notes
    notes,
    # /scrape-jobs
    scrape_jobs,
    # /analytics
    analytics,
    # /analytics/forecast
    forecasts,
    # /analytics/annotations
    annotations,
    # /analytics/aggregate/video-leaderboard, /analytics/aggregate/creator-leaderboard
    leaderboards,
    # /exports/analytics
    series_exports,
    # /exports
    exports,
    # /schema
    data_model,
    # /openapi.json
    openapi.router,
)
"""Below PREFIX; every endpoint requires a key."""

PUBLIC: tuple[APIRouter, ...] = (
    # /changelog
    changelog,
)
"""Below PREFIX; without a key."""

OPEN: tuple[APIRouter, ...] = (
    # /healthz, /readyz
    health.router,
    # /metrics
    metrics.router,
    # /invitations/{token}
    invitation_pages,
    # /charts/{name}
    chart_files,
    # /share/creator/{creator_id}, /share/files/{name}
    share_pages,
    # /share/creator/{creator_id}/amounts/{accrual_id}
    share_amounts,
    # /share/report/{report_id}
    report_pages,
    # /connect/{token}, /connect/callback/{platform}
    connect_pages,
    # /.well-known/jwks.json
    key_set,
    # /.well-known/oauth-*, /oauth/register, /oauth/token, /oauth/revoke
    oauth,
    # /desk/authorize, /oauth/authorize, /oauth/sign-in, /oauth/consent
    oauth_pages,
    # / and /desk
    *DESK,
    # /files/uploads/{token}, /files/downloads/{token}, /files/orgs/...
    files,
    # /changelog
    changelog_pages,
    # /docs
    openapi.pages,
)
"""At the root; without a key."""
