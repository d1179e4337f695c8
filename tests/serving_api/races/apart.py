"""Changes that need no race, by reason."""

from collections.abc import Mapping

_ITEMS = ("creator", "campaign", "account", "video")

APART: Mapping[str, frozenset[str]] = {
    "makes a row that nothing else is about yet": frozenset(
        {"POST /creators/{creator_id}/goals", "POST /payout-methods"}
    ),
    "writes nothing": frozenset(
        {"POST /payout-structures/simulate", "POST /payout-structures/search"}
    ),
    "signs an address, of which no row is kept": frozenset(
        {"POST /creators/{creator_id}/connect-links"}
    ),
    "does the same as `POST /creators`": frozenset({"POST /projects/{project_id}/creators"}),
    "what is scraped, which never takes back what was gained (money.md M13)": frozenset(
        {
            "DELETE /accounts/{account_id}/connection",
            "PATCH /accounts/{account_id}",
            "POST /accounts/{account_id}/scrape",
            "POST /creators/{creator_id}/scrape",
            "POST /projects/{project_id}/videos/bulk-tracking-disable",
            "POST /projects/{project_id}/videos/bulk-tracking-enable",
            "POST /videos/{video_id}/scrape",
            "POST /videos/{video_id}/tracking-disable",
            "POST /videos/{video_id}/tracking-enable",
            "POST /videos/{video_id}/tracking-unexempt",
        }
    ),
    "who may do what; their own tests have two at once": frozenset(
        {
            "DELETE /organizations/{organization_id}/api-keys/{key_id}",
            "DELETE /organizations/{organization_id}/connected-apps/{app_id}",
            "DELETE /organizations/{organization_id}/invitations/{invitation_id}",
            "POST /admin/users/{user_id}/ban",
            "POST /admin/users/{user_id}/unban",
            "POST /organizations/{organization_id}/api-keys",
            "POST /user/organizations",
            "POST /organizations/{organization_id}/invitations",
            "POST /organizations/{organization_id}/members",
        }
    ),
    "who is told of what; events have no part in any amount": frozenset(
        {
            "DELETE /webhook-endpoints/{endpoint_id}",
            "PATCH /webhook-endpoints/{endpoint_id}",
            "POST /webhook-endpoints",
            "POST /webhook-endpoints/{endpoint_id}/redeliver",
            "POST /webhook-endpoints/{endpoint_id}/rotate-secret",
            "POST /webhook-endpoints/{endpoint_id}/test",
        }
    ),
    "warns, or stops assignments that begin after it: no amount is made of it": frozenset(
        {"DELETE /budgets/{budget_id}", "PATCH /budgets/{budget_id}", "POST /budgets"}
    ),
    "sets one row under its lock; adjustments correct a payment beside it": frozenset(
        {"POST /projects/{project_id}/imports/{import_id}/retract"}
    ),
    "lets an amount be paid, and changes none: a payment beside it comes before or after it": (
        frozenset({"POST /payout-accruals/{accrual_id}/release"})
    ),
    "how things look and are sorted; no amount is made of it": frozenset(
        {
            "DELETE /analytics/annotations/{annotation_id}",
            "DELETE /campaigns/{campaign_id}",
            "DELETE /campaigns/{campaign_id}/items",
            "DELETE /content-groups/{content_group_id}",
            "DELETE /creators/{creator_id}/share-link",
            "DELETE /reports/{report_id}",
            "DELETE /tags/{tag_id}",
            "PATCH /analytics/annotations/{annotation_id}",
            "PATCH /campaigns/{campaign_id}",
            "PATCH /comment-settings",
            "PATCH /content-groups/{content_group_id}",
            "PATCH /creators/{creator_id}/share-link",
            "PATCH /projects/{project_id}/comments",
            "PATCH /me",
            "PATCH /organizations/{organization_id}/projects/{project_id}",
            "PATCH /tags/{tag_id}",
            "POST /analytics/annotations",
            "POST /campaigns/{campaign_id}/items",
            "POST /content-groups",
            "POST /creators/{creator_id}/notes",
            "POST /creators/{creator_id}/share-link",
            "POST /notes/{entity_type}/{entity_id}",
            "POST /organizations/{organization_id}/projects",
            "POST /payout-methods/{payout_method_id}/icon",
            "POST /payout-methods/{payout_method_id}/icon/upload-url",
            "POST /payouts/payment-receipts/upload-url",
            "POST /projects/{project_id}/campaigns",
            "POST /projects/{project_id}/reports",
            "POST /share-links/bulk",
            "POST /tags",
            "POST /tags/apply",
            "POST /tags/merge",
            "POST /videos/{video_id}/notes",
            *(
                f"{method} /{item}s/{{{item}_id}}/tags"
                for method in ("POST", "PUT", "DELETE")
                for item in _ITEMS
            ),
        }
    ),
}
"""Operations by reason, as in `tests.contract.cases`."""
