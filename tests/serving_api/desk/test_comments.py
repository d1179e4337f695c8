"""The comments of a project and of one post, and their totals."""

import re
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from serving_api.desk.comment_words import LANGUAGES, SIGNALS
from tests.factories import marts
from tests.factories.comments import Said
from tests.factories.tracking import add_video
from tests.factories.visitors import read
from tests.fixtures.api import Api, Tenant, new_tenant, publish_history
from tests.fixtures.desk import Sitter
from tests.fixtures.launched import HOSTILE, Launched
from warehouse.comment_scoring.language import CANDIDATES, UNSURE, WORDLESS
from warehouse.reading.comments.scope import SIGNALS as KNOWN_SIGNALS


@pytest.mark.slow
def test_comments_are_summed_up_by_signal_and_language(member: Sitter) -> None:
    """Five: an English ('Where'), two Spanish, an Arabic and the hostile one; three are scored."""
    text = read(member.get(f"{member.home}/comments"))
    signals = text.replace(" \u2013 no comparison", "")
    assert "Flagged 1 Risk of harm 1 Calls it an ad 0 Asks about the app 1" in signals
    assert "All 5 1 1 1 60%" in text
    assert "English 2 0 1 1 100%" in text
    assert "Spanish 2 1 0 0 50%" in text
    assert "Arabic 1 \u2013 not known \u2013 not known \u2013 not known 0%" in text


def test_comments_are_listed_as_written(member: Sitter) -> None:
    page = member.get(f"{member.home}/comments")
    text = read(page)
    assert HOSTILE not in page.text
    assert "Signals and sentiment Signals Signal Comments Change" in text
    assert page.text.index("<summary>Signals and") < page.text.index(">All comments of the period<")
    newest = text.index(f"{HOSTILE} Risk of harm , negative, by ann, 18 May 2026, 12:00")
    assert newest < text.index("Ni idea by ann") < text.index("كم السعر؟ 🧵 by ann")
    assert '<p class="words quote" dir="auto">كم السعر؟' in page.text


def test_comments_are_filtered_and_searched(member: Sitter) -> None:
    address = f"{member.home}/comments"
    query = "signal=&sentiment=&platform=tiktok&sort=top&q=LINK"
    text = read(member.get(f"{address}?{query}"))
    assert "Where is the link?" in text
    assert "Me encanta" not in text
    assert "Comments that match" in text
    none = read(member.get(f"{address}?sentiment=positive&signal=risk"))
    assert "No comments match." in none
    for wrong in ("signal=rude", "q=" + 201 * "x", "cursor=made-up"):
        assert member.get(f"{address}?{wrong}").status_code == 400


def test_pages_keep_the_filters(member: Sitter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("serving_api.desk.comment_pages.ON_A_PAGE", 1)
    first = member.get(f"{member.home}/comments?sentiment=negative&q=%22x%22")
    assert "Next page" not in first.text
    first = member.get(f"{member.home}/comments?platform=tiktok&sort=oldest")
    onward = first.text.split('">Next page')[0].rsplit('"', 1)[1].replace("&amp;", "&")
    second = read(member.get(onward))
    assert "Me encanta" in second
    assert "Where is the link?" not in second
    assert "by language" not in second


def test_a_post_shows_its_comments_flagged_ones_first(member: Sitter, launched: Launched) -> None:
    post = marts.named(f"two {launched.eve['id']}")
    page = member.get(f"{member.home}/posts/{post}")
    text = read(page)
    assert "Views 2,500 Likes \u2013 not known" in text
    assert "1 comment collected." in text
    assert f"Flagged Comment Likes {HOSTILE} Risk of harm" in text
    assert HOSTILE not in page.text
    adas = read(member.get(f"{member.home}/posts/{marts.named('one ' + launched.ada['id'])}"))
    assert "4 comments collected." in adas
    assert "Latest Comment Likes Ni idea" in adas
    assert "Flagged" not in adas
    assert member.get(f"{member.home}/posts/{uuid4()}").status_code == 404


def test_a_plan_without_comments_is_led_to_none(api: Api) -> None:
    with new_tenant(api, plan="free") as tenant:
        sitter = Sitter(tenant)
        assert "Comments" not in read(sitter.get(sitter.home))
        assert sitter.get(f"{sitter.home}/comments").status_code == 403
        video = tenant.video(1)
        assert "Comments are" not in sitter.get(f"{sitter.home}/posts/{video['id']}").text


def test_an_empty_project_explains_the_wait(tenant: Tenant) -> None:
    sitter = Sitter(tenant)
    assert "No comments match." in read(sitter.get(f"{sitter.home}/comments"))
    text = read(sitter.get(f"{sitter.home}/posts/{tenant.video(1)['id']}"))
    assert "Comments are collected three days after a post is published." in text


def test_what_comments_have_is_called_something() -> None:
    assert {*CANDIDATES, UNSURE, WORDLESS, None} == LANGUAGES.keys()
    assert {*KNOWN_SIGNALS, "flagged"} == SIGNALS.keys()


@pytest.mark.slow
def test_a_comment_is_marked_as_handled_and_unmarked(member: Sitter) -> None:
    address = f"{member.home}/comments"
    [waiting] = re.findall(r'name="handled" value="([^"]{36})"', member.get(address).text)
    assert "1 comment with risk of harm" in read(member.get(member.home))
    flagged_list = f"{address}?signal=flagged&handled=false"
    assert waiting in member.get(flagged_list).text
    marked = member.send(flagged_list, page=address, handled=waiting)
    assert marked.status_code == 303
    assert marked.headers["Location"] == f"{flagged_list}#list"
    assert "No comments match." in read(member.get(marked.headers["Location"]))
    assert "with risk of harm" not in read(member.get(member.home))
    assert "Handled 20 May 2026 Reopen" in read(member.get(f"{address}?handled=true"))
    older_page = member.send(address, page=address, handled=waiting)
    answer = member.get(older_page.headers["Location"])
    assert "0 comments handled." in read(answer)
    assert "Undo" not in read(answer)
    assert member.send(address, page=address, open=waiting).status_code == 303
    assert waiting in member.get(flagged_list).text


def test_ticked_comments_are_handled_together_and_opened_again(member: Sitter) -> None:
    address = f"{member.home}/comments"
    boxes = re.findall(r'name="(selected\.[^"]+)"', member.get(address).text)
    chosen = dict.fromkeys(boxes[:2], "yes")
    done = member.send(address, page=address, handled="selected", **chosen)
    page = member.get(done.headers["Location"])
    assert "2 comments handled." in read(page)
    assert "Undo" in read(page)
    opened = member.send(address, page=address, open="selected", **chosen)
    assert "2 comments open again." in read(member.get(opened.headers["Location"]))
    none = member.send(address, page=address, handled="selected")
    assert none.status_code == 400
    assert "Select at least one item first" in none.text
    assert "Ni idea" in none.text


def test_all_open_flagged_comments_that_match_are_handled_at_once(api: Api, tmp_path: Path) -> None:
    """120 warnings and a question: more than a page, and more than one REST request handles."""
    with api.changed(home=tmp_path) as served, new_tenant(served) as tenant:
        ada = UUID(tenant.creator("ada")["id"])
        readings = {datetime(2026, 5, 15, tzinfo=UTC): {"view": 5}}
        post = marts.Video("warned", readings, creator=ada)
        add_video(api.store, tenant.made, "1", id=post.id)
        history = marts.History(
            videos=[post], organization=tenant.organization_id, project=tenant.project_id
        )
        written = datetime(2026, 5, 18, 9, tzinfo=UTC)
        warnings = [Said(post.id, written, f"scam {n}", signals=("risk",)) for n in range(120)]
        publish_history(served.settings, history, [*warnings, Said(post.id, written, "why?")])
        member = Sitter(tenant, role="member")
        assert "120 comments with risk of harm" in read(member.get(member.home))
        assert "that match" not in read(member.get(f"{member.home}/comments"))
        address = f"{member.home}/comments?signal=flagged"
        page = member.get(address)
        [version] = re.findall(r'name="all" value="([^"]+)"', page.text)
        assert "Mark all that match as handled (120)" in read(page)
        changed = member.send(address, page=address, handled="all", all="older")
        assert changed.status_code == 409
        assert "have changed" in changed.text
        done = member.send(address, page=address, handled="all", all=version)
        assert "120 comments handled." in read(member.get(done.headers["Location"]))
        assert "No comments match." in read(member.get(f"{address}&handled=false"))


def test_admins_set_the_names_that_comments_are_searched_for(tenant: Tenant) -> None:
    admin = Sitter(tenant)
    page = f"{admin.home}/settings/organization"
    sent = {"brand_terms": "Acme, acme app , ", "competitor_terms": "Globex"}
    done = admin.send(f"{page}/comments", page=page, **sent)
    assert "Names saved." in read(admin.get(done.headers["Location"]))
    settings = tenant.client.data("GET", "/comment-settings")
    assert settings["brand_terms"] == ["Acme", "acme app"]
    assert settings["competitor_terms"] == ["Globex"]
    wrong = admin.send(f"{page}/comments", page=page, brand_terms="Acme, !", competitor_terms="")
    assert wrong.status_code == 400
    assert 'id="wrong-brand_terms"' in wrong.text
    assert 'value="Acme, !"' in wrong.text
    assert 'value="Acme, acme app"' in admin.get(page).text
