"""The one list of all routers, each with its URLs above it."""

from fastapi import APIRouter

from serving_api import health, metrics, openapi
from serving_api.resources.accounts.endpoints import router as accounts
from serving_api.resources.analytics.endpoints import router as analytics
from serving_api.resources.campaigns.endpoints import router as campaigns
from serving_api.resources.creators.endpoints import router as creators
from serving_api.resources.me.endpoints import router as me
from serving_api.resources.organizations.endpoints import router as organizations
from serving_api.resources.projects.endpoints import router as projects
from serving_api.resources.scrape_jobs.endpoints import router as scrape_jobs
from serving_api.resources.videos.endpoints import router as videos

PREFIX = "/api/v2"

KEYED: tuple[APIRouter, ...] = (
    # /me
    me,
    # /user/organizations
    organizations,
    # /projects, /organizations/{organization_id}/projects
    projects,
    # /creators, /projects/{project_id}/creators
    creators,
    # /accounts, /creators/{creator_id}/accounts
    accounts,
    # /videos, /projects/{project_id}/videos
    videos,
    # /campaigns, /campaigns/{campaign_id}/items, /projects/{project_id}/campaigns
    campaigns,
    # /scrape-jobs
    scrape_jobs,
    # /analytics
    analytics,
    # /openapi.json
    openapi.router,
)
"""Below PREFIX; every endpoint asks for a key."""

OPEN: tuple[APIRouter, ...] = (
    # /healthz, /readyz
    health.router,
    # /metrics
    metrics.router,
    # /openapi.json
    openapi.public_router,
)
"""At the root; no key."""
