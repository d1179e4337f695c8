"""Values that a route refuses: in the fields of its body, or of the query of a read.

The keys are the fields that the error names (`body`: all of it); a value replaces that field in the
valid request of `cases`. Larger changes are `Sent` or `Only`.
"""

import base64
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from serving_api.resources.payouts.methods.schemas import ONE_PIXEL
from tests.contract.cases import ACCOUNT, CONVERSION
from tests.factories import pictures
from tests.factories.payouts import rule

ABSENT = object()


class Sent(dict[str, Any]):
    """Fields to add to, or replace in, the valid request; ABSENT ones are removed."""


class Only(dict[str, Any]):
    """A body with these fields alone."""


def ids(number: int) -> list[str]:
    return [str(uuid4()) for _ in range(number)]


def dates(first: str, last: str) -> Sent:
    return Sent(**{"from": first, "to": last})


def account(**changes: Any) -> Sent:
    return Sent(accounts=[{**ACCOUNT, **changes}])


def new_rule(**changes: Any) -> Only:
    return Only(kind="rule", **{**rule("recurring"), **changes})


def picture(content: bytes, content_type: str = "image/png") -> Sent:
    return Sent(content_type=content_type, content_base64=base64.b64encode(content).decode())


TAG_NAMES = ("", "   ", "x" * 41, "a,b", *ids(1), uuid4().hex, 5, None, "a\0b")
BY_TAGS = {"tags": (",".join("t" * 21), "", " , ", "a\0"), "tags_match": ("none",)}
SEVERAL_VIDEOS = {
    "video_ids": (ABSENT, [], ids(201)),
    "video_ids.0": (Sent(video_ids=["x"]),),
    "exempt": ("yes",),
    "all": (True,),
}
ITEM = {"item_type": ("tag",), "item_id": (ABSENT, "x"), "note": ("x",)}
RANKED = {
    "project_id": (ABSENT, "x"),
    "campaign_id": ("x",),
    "metric": ("followers",),
    "platform": ("vimeo",),
    "limit": ("0", "101"),
    "offset": ("-1", "9" * 20),
    "from": ("2026-05-21", dates("2026-05-02", "2026-05-01"), "2010-01-01"),
    "to": ("2026-5-1",),
}
BROKEN_DOWN = {"entity": "campaign", "entity_id": "{campaign_id}", "breakdown": "video"}
OF_VIDEO = {"entity": "video", "entity_id": "{video_id}", "breakdown": "video"}

VALUES: Mapping[str, Mapping[str, Sequence[Any]]] = {
    "PATCH /me": {"readme": (Only(), 1), "display_name": ("Me",)},
    "POST /user/organizations": {
        "name": (ABSENT, "", "   ", "x" * 201),
        "analytics_tz": ("Mars/Olympus", None),
        "plan": ("ultra",),
    },
    "PATCH /organizations/{organization_id}": {
        "body": (Only(),),
        "name": (None, ""),
        "analytics_tz": ("CEST", "../etc/passwd"),
        "payout_settling_days": (31, -1, 1.5, "7"),
        "plan": ("ultra",),
        "is_suspended": (False,),
    },
    "POST /organizations/{organization_id}/members": {
        "body": (Only(), Only(role="admin"), Sent(user_id="{user_id}")),
        "email": ("nonsense",),
        "role": ("owner",),
        "user_id": (Only(user_id="me"),),
    },
    "POST /organizations/{organization_id}/invitations": {
        "email": (ABSENT, "nobody", "a@b\n", "a b@c.invalid", "x" * 250 + "@c.invalid", "a\0@b.c"),
        "role": ("owner",),
        "token": ("mine",),
    },
    "POST /organizations/{organization_id}/api-keys": {
        "name": (ABSENT, "", "x" * 101),
        "scopes": ([], "read"),
        "scopes.0": (Sent(scopes=["owner"]),),
        "expires_at": ("2030-01-01",),
        "acts_as_user_id": ("me",),
        "key": ("svc_" + "0" * 64,),
    },
    "POST /webhook-endpoints": {
        "url": (
            *(ABSENT, "", 5, "hooks.test.invalid", "ftp://hooks.test.invalid/", "https://"),
            *("http://hooks.test.invalid/", "https://user:word@hooks.test.invalid/"),
            *("https://hooks.test.invalid/#there", "https://hooks.test.invalid:99999/"),
            *("https://hooks.test.invalid/" + "x" * 2000, "https://127.0.0.1/"),
            *("http://127.0.0.1/", "https://localhost/", "https://10.1.2.3/", "https://[::1]/"),
            *("https://169.254.169.254/latest", "https://[::ffff:10.0.0.1]/"),
            *("https://[64:ff9b::a00:1]/", "https://[fe80::1]/", "https://0.0.0.0/"),
            "https://224.0.0.1/",
        ),
        "event_types": ([],),
        "event_types.0": (Sent(event_types=["webhook.test"]),),
        "description": ("",),
        "secret": ("whsec_mine",),
    },
    "POST /webhook-endpoints/{endpoint_id}/redeliver": {
        "body": (Only(), Sent(event_ids=ids(1))),
        "event_ids": (Only(event_ids=[]), Only(event_ids=ids(1) * 101)),
        "event_ids.0": (Only(event_ids=["7"]),),
        "since": ("2026-05-20",),
    },
    "PATCH /admin/organizations/{organization_id}": {
        "body": (Only(),),
        "plan": ("gold", None),
        "is_suspended": ("yes",),
        "conversion_payouts_enabled": (1,),
        "name": ("Mine",),
    },
    "GET /notes": {"offset": ("1", "-1"), "limit": ("0", "101"), "project_id": ("x",), "q": ("",)},
    "POST /notes/{entity_type}/{entity_id}": {"content": ("", "   \n", "x" * 20_001)},
    "GET /projects/{project_id}/program-health": {
        "range": ("31d", "30", ""),
        "campaign_id": ("x",),
        "days": ("7",),
    },
    "POST /organizations/{organization_id}/projects": {
        "name": (ABSENT, "", "   ", "x" * 201),
        "plan": ("free",),
    },
    "GET /creators": {
        **BY_TAGS,
        "limit": ("0", "101", "x"),
        "platform": ("myspace",),
        "project_id": ("x",),
        "search": ("\0",),
        "include_pin": ("maybe",),
    },
    "POST /creators": {
        "project_id": ("x",),
        "display_name": ("x" * 101, "a\0b"),
        "metadata": ([], {"a": "\0"}, {"a": "x" * 20_000}),
        "accounts": ([], [ACCOUNT] * 21),
        "accounts.0.platform": (account(platform="myspace"),),
        "accounts.0.handle": (Sent(accounts=[{"platform": "tiktok"}]), account(handle="x" * 201)),
        "accounts.0.tracking_mode": (account(tracking_mode="sometimes"),),
        "accounts.0.tracking_hashtags": (
            account(tracking_mode="hashtag"),
            account(tracking_mode="hashtag", tracking_hashtags=["#", "!"]),
            account(tracking_hashtags=["x" * 101]),
            account(tracking_hashtags=[" ".join(f"t{n}" for n in range(51))]),
        ),
        "accounts.0.hashtag_inbox_non_matching": (account(hashtag_inbox_non_matching=1),),
        "accounts.0.tracking_start_date": tuple(
            account(tracking_start_date=each) for each in ("2026-13-01", "20260101", 1_700_000_000)
        ),
        "accounts.0.tracking_end_date": (
            account(tracking_end_date="0001-01-01"),
            account(tracking_start_date="2026-05-02", tracking_end_date="2026-05-01"),
        ),
        "handle": ("demo",),
    },
    "POST /projects/{project_id}/creators": {
        "creators": (Only(creators=[]), Only(creators=[{"accounts": [ACCOUNT]}] * 51))
    },
    "GET /creators/{creator_id}": {"include_pin": ("maybe",)},
    "PATCH /creators/{creator_id}": {
        "body": (Only(),),
        "display_name": (None,),
        "is_active": ("false",),
        "metadata": (None,),
        "handle": ("x",),
    },
    "GET /videos/{video_id}/comments": {"limit": ("201",), "offset": ("-1", str(2**31))},
    "GET /projects/{project_id}/comments": {
        "limit": ("0", "101"),
        "sort": ("best",),
        "signal": ("anger",),
        "sentiment": ("unscored",),
        "platform": ("youtube",),
        "q": ("", "a\0"),
        "from": (dates("2026-05-21", "2026-05-20"), "yesterday"),
        "colour": ("red",),
    },
    "PATCH /projects/{project_id}/comments": {"comment_ids": ([],), "handled": (ABSENT, 0)},
    "GET /projects/{project_id}/comment-signals": {
        "bucket": ("year",),
        "creator_sort": ("comments",),
        "creator_limit": ("501",),
        "campaign_id": ("spring",),
    },
    "GET /projects/{project_id}/comment-flags": {"days": ("31", "0"), "limit": ("51",)},
    "PATCH /comment-settings": {
        "body": (Only(),),
        "min_comment_count": (-1, 100_001, 10**30, "5", 5.5, True, None),
        "brand_terms": (None, "Acme", ["x"] * 51),
        "brand_terms.0": (Sent(brand_terms=["x" * 61]),),
        "competitor_terms.0": tuple(
            Sent(competitor_terms=[each]) for each in ("   ", "!?", "nul\0", 7)
        ),
        "competitor_terms.1": (Sent(competitor_terms=["fine", ""]),),
        "effective_brand_terms": (["x"],),
    },
    "PUT /creators/{creator_id}/payout-account": {
        "payout_method_id": (None, "x"),
        "details": (None, "text", {"a": "\0"}, {"a": "x" * 20_000}),
        "iban": ("x",),
    },
    "GET /payout-accruals": {
        "status": ("late",),
        "from": ("17.05.2026", dates("2026-05-18", "2026-05-17")),
        "creator_id": ("ada",),
        "limit": ("101",),
    },
    "GET /payout-accruals/{accrual_id}/evidence": {"list": (ABSENT, "tiers"), "limit": ("501",)},
    "PATCH /payout-accruals/{accrual_id}": {
        "body": (Only(), Only(amount_cents=10_000)),
        "status": ("paid", None),
        "note": ("x" * 1001, "\0"),
        "amount_cents": (Sent(status="approved", amount_cents=1),),
    },
    "POST /payout-methods": {
        "name": (ABSENT, None, " ", "n" * 101, "\0", 1),
        "icon_path": ("", "icon.png", "\0", "x" * 201),
        "metadata": ([], {"a": "x" * 17_000}),
        "readme": (1,),
        "is_default": (True,),
    },
    "PATCH /payout-methods/{payout_method_id}": {
        "body": (Only(),),
        "name": (None, "", "n" * 101),
        "is_active": (None, 1),
        "metadata": (None,),
        "icon_url": (None,),
        "is_default": (False,),
    },
    "POST /payout-methods/{payout_method_id}/icon": {
        "content_type": (ABSENT, "image/gif", "image/svg+xml", "IMAGE/PNG"),
        "content_base64": (
            *(ABSENT, None, 7, "not base64!", ONE_PIXEL[:-1], "é"),
            f"data:image/png;base64,{ONE_PIXEL}",
            picture(pictures.padded((1 << 20) + 1)),
            picture(pictures.png(4_097, 1)),
            picture(pictures.png(2**31 - 1, 2**31 - 1)),
            picture(pictures.jpeg(1, 65_535), "image/jpeg"),
            picture(pictures.extended_webp(1 << 24, 1 << 24), "image/webp"),
        ),
    },
    "PATCH /payout-structures/{structure_id}": {
        "kind": (ABSENT, "magic"),
        "body": (Only(kind="cosmetic"),),
        "name": (None, new_rule(name="x")),
        "metadata": (None,),
        "amount_cents": (5, new_rule(amount_cents=None)),
        "is_active": (False,),
        "readme": ("By /notes",),
        "period_anchor": (new_rule(period_anchor=1),),
        "backfill_on_assignment": (new_rule(backfill_on_assignment=False),),
        "platform_scope": (new_rule(platform_scope=None),),
        "platform": (new_rule(platform="tiktok"),),
        "criteria_type": (new_rule(criteria_type="bonus"),),
        "criteria_params.mode": (new_rule(criteria_params={"mode": "all"}),),
    },
    "POST /payout-structures/{structure_id}/assignments": {
        "creator_ids": (ABSENT, [], ids(201)),
        "creator_ids.0": (Sent(creator_ids=["x"]),),
        "start_date": ("2026-5-1", "1999-12-31"),
        "end_date": (
            *("2026-05-20T00:00:00Z", "2026-05-19"),
            Sent(start_date="2026-06-02", end_date="2026-06-01"),
        ),
        "status": ("active",),
    },
    "GET /payout-payments": {
        "status": ("late",),
        "from": (dates("2026-05-02", "2026-05-01"),),
        "creator_id": ("ada",),
    },
    "POST /payout-payments": {
        "body": (
            *(Sent(accrual_ids=each, amount_cents=ABSENT) for each in ([], None)),
            Sent(status="pending", paid_at="2026-05-20T12:00:00Z"),
        ),
        "accrual_ids": tuple(
            Sent(accrual_ids=each, amount_cents=ABSENT) for each in (ids(501), ids(1) * 2)
        ),
        "accrual_ids.0": (Sent(accrual_ids=["x"], amount_cents=ABSENT),),
        "amount_cents": (-1, 12.5, 10**18),
        "status": ("void",),
        "paid_at": ("2026-05-01", "1999-05-01T00:00:00Z"),
        "reference": ("x" * 201, "\0"),
        "currency": ("EUR",),
    },
    "POST /budgets": {
        "amount_cents": (0, 1.5),
        "thresholds": ([80, 50], [50, 50], [*range(1, 12)]),
        "thresholds.0": (Sent(thresholds=[0]),),
        "period": ("weekly",),
        "on_exceeded": ("lower",),
        "name": (" ",),
        "body": (Sent(campaign_id="{project_id}", structure_id="{project_id}"),),
    },
    "POST /payout-disputes": {"reason": ("", " \n ", "x" * 1001, "a\0b", "\ud800", None, 7)},
    "GET /payouts/payment-receipts": {"payment_id": (ABSENT, "x")},
    "POST /payouts/payment-receipts/upload-url": {
        "payment_id": (None, "x"),
        "content_type": ("image/webp", "text/html", None),
        "size": (1,),
    },
    "GET /accounts": BY_TAGS,
    "PATCH /accounts/{account_id}": {
        "body": (Only(),),
        "tracking_mode": (None,),
        "tracking_hashtags": (Sent(tracking_mode="hashtag"),),
        "tracking_end_date": ("2026-05-19",),
        "platform": ("instagram",),
        "handle": ("",),
    },
    "POST /accounts/{account_id}/deactivate": {
        "videos": (ABSENT, None, "pause"),
        "payouts": ("stop",),
        "reason": ("x" * 1001, "\0"),
        "missed_posts": ("inbox",),
    },
    "POST /accounts/{account_id}/reactivate": {
        "missed_posts": (ABSENT, "drop"),
        "existing_videos": ("drop",),
        "note": ("x" * 1001,),
        "videos": ("freeze",),
    },
    "GET /accounts/{account_id}/stats": {
        "from": (
            *(dates("2026-05-06", "2026-05-05"), dates("2010-01-01", "2026-05-05")),
            "yesterday",
        ),
        "limit": ("101",),
    },
    "GET /creators/{creator_id}/share-link": {"include_pin": ("maybe",)},
    "POST /creators/{creator_id}/share-link": {
        "show_analytics": ("true",),
        "show_payouts": (1,),
        "enabled": (True,),
        "body": ([],),
    },
    "PATCH /creators/{creator_id}/share-link": {
        "body": (Only(),),
        "enabled": (None, "no"),
        "regenerate_pin": (1, Sent(pin="1234", regenerate_pin=True)),
        "sections": (["analytics"],),
    },
    "POST /share-links/bulk": {
        "creator_ids": ([], ids(201)),
        "creator_ids.0": (Sent(creator_ids=["x"]),),
        "pin_mode": ("one",),
        "pin": ("1234",),
        "show_analytics": (None,),
    },
    "GET /videos": BY_TAGS,
    "POST /projects/{project_id}/videos": {
        "url": (ABSENT, 7, "x" * 2001, "\0", None),
        "videos url": (Sent(videos=[]),),
        "videos": (
            *(Only(videos=[]), Only(videos={"url": "https://www.tiktok.com/@case/video/1"})),
            Only(videos=[{"url": "https://www.tiktok.com/@case/video/1"}] * 51),
        ),
        "videos.0.url": (Only(videos=[{}]),),
        "platform": ("tiktok",),
    },
    "PATCH /videos/{video_id}": {
        "body": (Only(),),
        "description": ("x",),
        "tracking_status": ("gone",),
        "caption": ("x",),
        "title": ("",),
    },
    "POST /videos/{video_id}/tracking-enable": {
        "exempt": (1, None),
        "force": (True,),
        "body": ([],),
    },
    "POST /projects/{project_id}/videos/bulk-tracking-disable": SEVERAL_VIDEOS,
    "POST /projects/{project_id}/videos/bulk-tracking-enable": SEVERAL_VIDEOS,
    "PATCH /projects/{project_id}/inbox": {
        "video_ids action": (Only(),),
        "video_ids": (ABSENT, [], ids(201)),
        "video_ids.0": (Sent(video_ids=[7]),),
        "action": (ABSENT, "include", "undo"),
        "exempt": (True,),
    },
    "POST /content-groups": {
        "project_id": (None, "x"),
        "title": (None, " ", "x" * 201, "\0"),
        "notes": (7, "x" * 50_001),
        "video_ids": (ids(201),),
        "video_ids.0": (Sent(video_ids=["x"]),),
        "color": ("red",),
    },
    "PATCH /content-groups/{content_group_id}": {
        "body": (Only(),),
        "title": (None, "", "x" * 201),
        "add_video_ids": (None, ids(201)),
        "remove_video_ids": (ids(201), "x"),
        "video_ids": ([],),
        "project_id": ("{project_id}",),
    },
    "GET /campaigns": BY_TAGS,
    "POST /projects/{project_id}/campaigns": {"name": (ABSENT, "", "  ", "x" * 201, None, 5)},
    "PATCH /campaigns/{campaign_id}": {
        "body": (*(Only(), Only(expected_readme_version="x")), Sent(expected_readme_version="x")),
        "name": ("", "x" * 201, None),
        "target_views": (-1, 1.5, True, 2**63, "5"),
        "target_at": (
            *("2026-06-01", "0001-01-01T00:00:00+14:00", "2026-06-01T00:00:00", 1_780_272_000),
        ),
        "metadata": ({},),
        "project_id": ("{project_id}",),
    },
    "POST /campaigns/{campaign_id}/items": ITEM,
    "DELETE /campaigns/{campaign_id}/items": ITEM,
    "GET /projects/{project_id}/goal-compliance": {
        "reference_date": ("2026-05-21", "20.05.2026"),
        "period": ("yearly",),
        "creator_id": ("ada",),
        "platform": ("myspace",),
    },
    "POST /projects/{project_id}/conversion-events": {
        "key": ("", "a" * 64, "-a", ".a", "_a", "a b", "a\n", "ä", "Shop"),
        "name": ("", "n" * 101),
        "description": ("d" * 501,),
        "default_value_cents": (-1, 9_000_000_001, 1.5, "5"),
        "currency": ("usd", "XYZ", "EURO"),
        "metadata": ([],),
        "is_active": (False,),
    },
    "PATCH /projects/{project_id}/conversion-events/{event_id}": {
        "key": ("signup",),
        "currency": ("USD",),
    },
    "GET /projects/{project_id}/conversions": {
        "limit": ("0", "201"),
        "status": ("paid",),
        "creator_id": ("x",),
        "from": ("2026-05-01", dates("2026-05-02T00:00:00Z", "2026-05-01T00:00:00Z")),
        "to": ("2026-05-01T00:00:00",),
    },
    "POST /projects/{project_id}/conversions": {
        "value_cents": (-1, 2**63, 1.0),
        "quantity": (0, 1_000_001, "3"),
        "external_id": ("", "x" * 256),
        "source": ("x" * 101,),
        "label": ("x" * 201,),
        "note": ("x" * 1001, "a\0b"),
        "metadata": ("{}", {"long": "x" * 16_384}),
        "occurred_at": (
            *("2026-05-01", "2026-05-01T12:00:00", 1_770_000_000),
            *("1999-12-31T23:59:59Z", "2100-01-01T00:00:00Z"),
        ),
        "currency": ("USD",),
        "body": (
            Sent(conversion_event_id=ABSENT),
            Sent(conversion_event_key="case"),
            Sent(creator_id=ABSENT),
            Sent(account_id="{account_id}"),
            Sent(creator_id=ABSENT, account_id="{account_id}", video_id="{video_id}"),
            Sent(creator_id=ABSENT, platform="tiktok"),
            Sent(creator_id=ABSENT, handle="demo.creator"),
            Sent(platform="tiktok", handle="demo.creator"),
            Sent(platform="tiktok"),
        ),
        "conversions": (Only(conversions=[]), Only(conversions=[CONVERSION] * 501)),
    },
    "DELETE /projects/{project_id}/conversions/{conversion_id}": {
        "reason": ("x" * 1001,),
        "why": ("Refund",),
        "body": ([],),
    },
    "GET /tags": {"q": ("x" * 101, "", "a\0"), "entity_type": ("project",), "limit": ("5",)},
    "POST /tags": {
        "name": (ABSENT, *TAG_NAMES),
        "entity_type": (ABSENT, "project"),
        "color": ("black",),
    },
    "PATCH /tags/{tag_id}": {
        "body": (Only(),),
        "name": TAG_NAMES,
        "color": ("black",),
        "entity_type": ("x",),
    },
    "POST /tags/merge": {
        "target_tag_id": ("x",),
        "source_tag_ids": ([], ["{tag_id}"], ["{tag_id}", "{tag_id}"], ids(21), "{tag_id}"),
        "source_tag_ids.0": (Sent(source_tag_ids=["x"]),),
    },
    "POST /tags/apply": {
        "entity_type": ("project",),
        "entity_ids": ([], ids(501)),
        "entity_ids.0": (Sent(entity_ids=["x"]),),
        "tags": ([], ["t"] * 21),
        "tags.0": (Sent(tags=[1]),),
        "mode": ("replace",),
        "note": ("x",),
    },
    **{
        f"{method} /{kind}s/{{{kind}_id}}/tags": {
            "tags": (None, "Star", ["t"] * 21, {"name": "Star"}, *nothing),
            "tags.0": tuple(Sent(tags=[each]) for each in (5, None, ["Star"], "a\0")),
        }
        for kind in ("creator", "campaign", "account", "video")
        for method, nothing in (("POST", [[]]), ("PUT", []), ("DELETE", [[]]))
    },
    "POST /creators/{creator_id}/goals": {
        "metric": ("likes",),
        "period": ("yearly",),
        "target_value": (0, -5, 1.5, 2**63),
        "start_date": ("2026-5-1", "1999-12-31"),
        "end_date": ("2026-05-01T00:00:00Z",),
        "is_active": (False,),
        "platform": (
            "tiktok",
            Sent(platform_scope="all", platform="tiktok"),
            Sent(platform_scope="platform"),
            Sent(platform_scope="platform", platform="youtube"),
            Sent(platform_scope="account", platform="tiktok", account_id="{account_id}"),
        ),
        "account_id": (
            "{account_id}",
            Sent(platform_scope="all", account_id="{account_id}"),
            Sent(platform_scope="platform", platform="tiktok", account_id="{account_id}"),
            Sent(platform_scope="account"),
        ),
        "platform account_id": (
            Sent(platform_scope="platform", account_id="{account_id}"),
            Sent(platform_scope="account", platform="tiktok"),
        ),
    },
    "PATCH /creators/{creator_id}/goals/{goal_id}": {
        "body": (Only(),),
        "platform_scope": ("all",),
        "account_id": (None,),
        "target_value": (None,),
    },
    "GET /analytics": {
        "entity": ("account",),
        "entity_id": ("x", ABSENT),
        "entity_ids": (
            "{video_id}",
            Sent(entity_ids="{video_id},x", entity_id=ABSENT),
            Sent(entity_ids=",".join(ids(6)), entity_id=ABSENT),
        ),
        "metric": ("reach",),
        "mode": ("rate", "total"),
        "granularity": ("hour",),
        "bucket_days": (
            *(Sent(granularity="custom", bucket_days=days) for days in (ABSENT, "0", "91")),
            "7",
        ),
        "compare": ("prior_year",),
        "breakdown": (
            *("account", "creator"),
            *(
                Sent(breakdown="video", metric=metric)
                for metric in ("followers", "video_count", "engagement_rate_by_views")
            ),
            Sent(breakdown="video", entity_ids="{creator_id}", entity_id=ABSENT),
            Sent(OF_VIDEO),
        ),
        "top_n": (Sent(BROKEN_DOWN, top_n="0"), Sent(BROKEN_DOWN, top_n="51")),
        "formula": (
            "by_views",
            Sent(metric="engagement_rate_by_views", formula="by_followers"),
            Sent(metric="engagement_rate_by_views", formula="by_likes"),
        ),
        "base_metric": (
            *(
                Sent(metric="growth_rate_pop", base_metric=base)
                for base in (ABSENT, "growth_rate_pop", "reach")
            ),
            "views",
        ),
        "format": ("xml",),
        "hide_auto": ("yes",),
        "from": (
            *("2026-5-1", "1999-12-31", "2026-05-21", "2010-01-01"),
            dates("2026-05-03", "2026-05-02"),
        ),
        "to": ("0001-01-01",),
        "tz": ("Mars/Olympus", "\0"),
    },
    "GET /analytics/annotations": {
        "scope": (ABSENT, "account"),
        "entity_id": (ABSENT, "x"),
        "from": (
            *(dates("2026-05-02", "2026-05-01"), dates("2010-01-01", "2026-05-01")),
            "tomorrow",
        ),
        "limit": ("101",),
    },
    "POST /analytics/annotations": {
        "title": ("x" * 201, "  ", None, "a\0b"),
        "body_md": ("x" * 8001,),
        "scope": ("project",),
        "entity_id": ("somebody",),
        "at": (
            *("2026-05-10", "2026-05-10T12:00:00"),
            *("1999-12-31T23:59:59Z", "2100-01-01T00:00:00Z"),
        ),
        "kind": ("creator_milestone",),
    },
    "GET /analytics/aggregate/video-leaderboard": RANKED,
    "GET /analytics/aggregate/creator-leaderboard": RANKED,
}
