"""Bulk edits at the desk: a pasted list, creators of a rule and of a campaign."""

import re
from contextlib import suppress
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from serving_api.desk.creator_pages.pasted_lines import read_list
from serving_api.errors import InvalidBody
from tests.factories.payouts import rule
from tests.factories.visitors import read
from tests.fixtures.api import Tenant
from tests.fixtures.desk import Sitter

FILES = Path(__file__).parents[2] / "payloads" / "imports"
LIST = """name,tiktok,instagram
Ada,@ada,ada.posts
Eve,https://www.tiktok.com/@eve,
"Lovelace, A.",lovelace,"""


def handles_of(tenant: Tenant) -> dict[str, list[str]]:
    listed = tenant.client.data("GET", "/creators", params={"limit": "100"})
    return {
        creator["display_name"]: [account["handle"] for account in creator["accounts"]]
        for creator in listed
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@ada", (None, [("tiktok", "@ada")])),
        ("ada", (None, [("tiktok", "ada")])),
        ("Ada Lovelace\tada", ("Ada Lovelace", [("tiktok", "ada")])),
        (
            "Ada; @ada; instagram.com/ada",
            ("Ada", [("tiktok", "@ada"), ("instagram", "instagram.com/ada")]),
        ),
        ("handle,name\nada,Ada", ("Ada", [("tiktok", "ada")])),
        ("Instagram\nada", (None, [("instagram", "ada")])),
        ("- @ada", (None, [("tiktok", "@ada")])),
        ("Ada, \uff20ada", ("Ada", [("tiktok", "\uff20ada")])),
        (
            "Ada, Follow https://www.instagram.com/ada/ now.",
            ("Ada", [("instagram", "Follow https://www.instagram.com/ada/ now.")]),
        ),
        ("* Ada, @ada", ("Ada", [("tiktok", "@ada")])),
        ("12. ada", (None, [("tiktok", "ada")])),
        ("1) ada", (None, [("tiktok", "ada")])),
        ("1.ada", (None, [("tiktok", "1.ada")])),
        ("Name,Email,TikTok\nAda,a@x.test,ada", ("Ada", [("tiktok", "ada")])),
        ("\ufeffCreator name;Instagram handle\nAda;ada", ("Ada", [("instagram", "ada")])),
        ("Full Name\tTikTok URL\nAda\tada", ("Ada", [("tiktok", "ada")])),
        ("Influencer,Profile_links\nAda,ada", ("Ada", [("tiktok", "ada")])),
        ("Name,Handle,Platform\nAda,ada,Instagram", ("Ada", [("instagram", "ada")])),
        ("Platform\tName\tHandle\n\tAda\tada", ("Ada", [("tiktok", "ada")])),
        ("Handle,Network\nada,YouTube", (None, [("youtube", "ada")])),
        ("Ada, @ada, Instagram", ("Ada", [("instagram", "@ada")])),
        ("Instagram, ada", (None, [("instagram", "ada")])),
        ("Ada\tada\tN/A", ("Ada", [("tiktok", "ada")])),
        ("none", (None, [("tiktok", "none")])),
        ("name\ttiktok\n-\tada", (None, [("tiktok", "ada")])),
        ("\u2022\t@ada", (None, [("tiktok", "@ada")])),
        ("Username,Followers,Likes\nada,1200,300", (None, [("tiktok", "ada")])),
        (
            "Username,Profile URL\nada,instagram.com/Ada/",
            (None, [("instagram", "instagram.com/Ada/")]),
        ),
        (
            "Name\tTikTok\tInstagram\nAda\t@ada\thttps://instagram.com/ada/",
            ("Ada", [("tiktok", "@ada"), ("instagram", "https://instagram.com/ada/")]),
        ),
        (
            "Username,Profile URL\nada,tiktok.com/@adam",
            (None, [("tiktok", "ada"), ("tiktok", "tiktok.com/@adam")]),
        ),
        (
            "Platform,Username,URL\nInstagram,ada,tiktok.com/@ada",
            (None, [("instagram", "ada"), ("tiktok", "tiktok.com/@ada")]),
        ),
        ("TikTok,Handle\n@Ada,ada", (None, [("tiktok", "ada")])),
        ("Total\t@30", ("Total", [("tiktok", "@30")])),
        ('Name\tTikTok\tNotes\nAda\tada\t"1,\n2"', ("Ada", [("tiktok", "ada")])),
        ("Name,TikTok,Notes\nAda,ada,one; two", ("Ada", [("tiktok", "ada")])),
        ("Account username,Account name,Views\nada,Ada,1", ("Ada", [("tiktok", "ada")])),
        (
            "profile_name,media_url,email\nAda,tiktok.com/@ada,a@x.test",
            ("Ada", [("tiktok", "tiktok.com/@ada")]),
        ),
        ("sep=;\nName;IG;Tik Tok\nAda;ada;", ("Ada", [("instagram", "ada")])),
    ],
)
def test_a_line_is_read(text: str, expected: tuple[str | None, list[tuple[str, str]]]) -> None:
    [line] = read_list(text, "tiktok").lines
    assert (line.name, line.accounts) == expected


@pytest.mark.parametrize(
    "cell", ["n/a", "N/A", "-", "\u2013", "none", "#N/A", "#REF!", "null", "?", "TBD"]
)
def test_a_cell_without_a_value_is_empty(cell: str) -> None:
    text = f"Name\tTikTok\tInstagram\nAda\tada\t{cell}\n{cell}\t{cell}\tbo\n"
    ada, bo = read_list(text, "tiktok").lines
    assert (ada.name, ada.accounts) == ("Ada", [("tiktok", "ada")])
    assert (bo.name, bo.accounts) == (None, [("instagram", "bo")])


def test_a_file_of_counts_names_no_creators_by_its_numbers() -> None:
    for path in FILES.glob("*.csv"):
        with suppress(InvalidBody):
            for line in read_list(path.read_text(errors="replace"), "tiktok").lines:
                for _, handle in line.accounts:
                    is_right = re.search(
                        r"fuzzy\.harbor4|lucky_easel3|December 30", handle, re.IGNORECASE
                    )
                    assert is_right, (path.name, line)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name,tiktok\nLovelace, Ada, ada", "quote cells that contain a separator"),
        ("Total\t30", "a total, not a creator"),
        ("Name,TikTok,Instagram\nGrand total:,1200,30", "a total, not a creator"),
        ("tiktok,fuzzy.harbor4,2026-09-15T06:00:01Z,100", "Write @ before it"),
    ],
)
def test_a_line_that_can_be_read_in_two_ways_is_refused(text: str, problem: str) -> None:
    [line] = read_list(text, "tiktok").lines
    assert problem in (line.problem or "")
    assert line.accounts == []


def test_a_list_names_a_column_of_accounts() -> None:
    with pytest.raises(InvalidBody, match="no column of handles"):
        read_list("platform,post\ntiktok,1234", "tiktok")
    lines = read_list("ada,TikTok\nbo,Instagram", "tiktok").lines
    assert [line.accounts for line in lines] == [[("tiktok", "ada")], [("instagram", "bo")]]


def test_each_line_has_a_separator_of_its_own() -> None:
    assert len(read_list("@instagram\n@natgeo", "tiktok").lines) == 2, "a handle is not a header"
    lines = read_list("Ada, @ada\nBo\t@bo\nLovelace, A.; @eve", "tiktok").lines
    assert [line.name for line in lines] == ["Ada", "Bo", "Lovelace, A."]
    assert [line.accounts for line in lines] == [
        [("tiktok", "@ada")],
        [("tiktok", "@bo")],
        [("tiktok", "@eve")],
    ]


def test_a_list_has_bounds() -> None:
    for text in ("", " \n ", "name,tiktok\n", "\n".join(f"@c{number}" for number in range(51))):
        with pytest.raises(InvalidBody):
            read_list(text, "tiktok")


def test_a_pasted_list_is_previewed_and_then_added(tenant: Tenant) -> None:
    member = Sitter(tenant, role="member")
    paste = f"{member.home}/creators/paste"
    sent = {"list": f"{LIST}\nBo,not a handle,\nZoe,@ADA,", "platform": "tiktok"}
    preview = member.send(paste, page=paste, **sent)
    text = read(preview)
    assert "2 of 5 lines will not be added: see Status." in text
    assert "Not added: A handle has no spaces: copy it from the profile" in text
    assert "Eve TikTok @eve New" in text, "the handle as stored, not the pasted URL"
    assert "Not added: @ada is already on line 2" in text
    assert "Line 1 is a header." in text
    assert handles_of(tenant) == {}
    [button] = re.findall(r'name="sentence" value="([^"]+)"', preview.text)
    assert button == "Add 3 creators"
    # Another user adds one of them meanwhile: the preview is shown again.
    tenant.creator("eve", display_name="Eve")
    again = member.send(paste, page=paste, sentence=button, **sent)
    assert "Add 2 creators" in again.text
    assert set(handles_of(tenant)) == {"Eve"}
    once = {"once": "7", "sentence": "Add 2 creators", **sent}
    answers = [member.send(paste, page=paste, **once) for _ in range(2)]
    for answer in answers:
        assert answer.status_code == 200
        assert "Lines not added 2 creators added, 3 not. These lines stay in" in read(answer)
        [box] = re.findall(r'<textarea id="list"[^>]*>([^<]*)<', answer.text)
        assert unescape(box).splitlines() == [
            "name,tiktok,instagram",
            "Eve,https://www.tiktok.com/@eve,",
            "Bo,not a handle,",
            "Zoe,@ADA,",
        ]
        assert "3 Bo TikTok not a handle Not added: A handle has no spaces" in read(answer)
    # The remaining lines are corrected and added.
    mended = {**sent, "list": "name,tiktok\nBo,bo"}
    answer = member.send(paste, page=paste, sentence="Add 1 creator", **mended)
    assert "1 creator added." in read(member.get(answer.headers["Location"]))
    assert handles_of(tenant) == {
        "Bo": ["bo"],
        "Eve": ["eve"],
        "Ada": ["ada", "ada.posts"],
        "Lovelace, A.": ["lovelace"],
    }


def test_a_pasted_list_may_name_platforms(member: Sitter) -> None:
    paste = f"{member.home}/creators/paste"
    table = "Handle,Platform,Notes,E-mail\nada,Instagram,,\nbo,-,-,-\neve,YouTube,,"
    text = read(member.send(paste, page=paste, list=table, platform="tiktok"))
    assert "Instagram @ada New" in text
    assert "Not used: Notes, E-mail." in text
    assert "TikTok @bo New" in text
    assert "Not added: This platform is not supported" in text


def test_a_pasted_list_is_undone_by_admins(tenant: Tenant, admin: Sitter) -> None:
    """Only admins may remove creators. A removed handle can be added again."""
    paste, sent = f"{admin.home}/creators/paste", {"platform": "tiktok"}
    for text in ("@ada\n@eve", "@ada\n@eve\nnot a handle"):
        answer = admin.send(paste, page=paste, list=text, sentence="Add 2 creators", **sent)
        if answer.status_code == 303:
            answer = admin.get(answer.headers["Location"])
        assert len(handles_of(tenant)) == 2
        [undo] = re.findall(r'name="remove" value="([^"]+)" class="small', answer.text)
        gone = admin.send(f"{admin.home}/creators", page=paste, remove=undo)
        assert "2 creators removed." in read(admin.get(gone.headers["Location"]))
        assert handles_of(tenant) == {}
    member = Sitter(tenant, role="member")
    answer = member.send(paste, page=paste, list="@ada", sentence="Add 1 creator", **sent)
    assert "Undo</button>" not in member.get(answer.headers["Location"]).text


def test_a_list_of_long_urls_is_not_cut(admin: Sitter) -> None:
    """Browsers silently truncate pasted text at `maxlength`, in the middle of a handle."""
    paste, query = f"{admin.home}/creators/paste", "?_r=1&_t=" + "\u2713" * 100
    lines = [f"https://www.tiktok.com/@handle.{number:02}{query}" for number in range(50)]
    preview = admin.send(paste, page=paste, list="\n".join(lines), platform="tiktok")
    assert "Add 50 creators" in read(preview)
    [field] = re.findall(r'<textarea id="list"[^>]*>', preview.text)
    assert "maxlength" not in field


def test_errors_of_a_list_are_shown_beside_its_field(admin: Sitter) -> None:
    paste = f"{admin.home}/creators/paste"
    for field, value, sentence in (
        ("list", "", "Paste at least one handle or profile URL"),
        ("tracking_start_date", "soon", "Enter a date as YYYY-MM-DD"),
        ("tracking_mode", "hashtag", "Enter at least one hashtag"),
    ):
        sent = {"list": "@ada", "platform": "tiktok", field: value}
        answer = admin.send(paste, page=paste, **sent)
        assert answer.status_code == 400
        assert sentence in answer.text


def test_an_unknown_platform_is_refused_for_each_line(admin: Sitter) -> None:
    paste = f"{admin.home}/creators/paste"
    preview = admin.send(paste, page=paste, list="@ada", platform="myspace")
    assert preview.status_code == 200
    assert "myspace @ada Not added:" in read(preview)


@pytest.fixture
def fee(tenant: Tenant) -> str:
    body = rule("recurring", period="weekly", amount_cents=10_000, proration_mode="prorate")
    return str(tenant.payout_structure(body, name="Fee"))


def ticked(*creators: Any) -> dict[str, str]:
    return {f"selected.{creator['id']}": "yes" for creator in creators}


@pytest.mark.slow
def test_many_creators_are_paid_by_a_rule_from_one_day_on(
    admin: Sitter, tenant: Tenant, fee: str
) -> None:
    creators = [tenant.creator(name, display_name=name) for name in ("ada", "bo", "eve")]
    page = f"{admin.home}/settings/structures/{fee}/creators"
    admin.send(page, page=page, add="selected", day="2026-05-04", **ticked(creators[0]))
    # All or none; the error names the conflicting creator, and the form keeps the day.
    refused = admin.send(page, page=page, add="selected", day="2026-05-11", **ticked(*creators))
    assert refused.status_code == 409
    assert "after this start: ada" in refused.text
    assert 'value="2026-05-11"' in refused.text
    assert f'name="selected.{creators[1]["id"]}" value="yes" aria-label="Select bo" checked' in (
        refused.text
    )
    assert len(tenant.client.data("GET", f"/payout-structures/{fee}/assignments")) == 1
    answer = admin.send(page, page=page, add="selected", day="2026-05-11", **ticked(*creators[1:]))
    assert answer.headers["Location"].endswith("?day=2026-05-11")
    assert 'value="2026-05-11"' in admin.get(answer.headers["Location"]).text
    assigned = tenant.client.data("GET", f"/payout-structures/{fee}/assignments")
    assert sorted(assignment["start_date"] for assignment in assigned) == [
        "2026-05-04",
        "2026-05-11",
        "2026-05-11",
    ]
    admin.send(page, page=page, remove="selected", day="2026-05-17", **ticked(*creators))
    assigned = tenant.client.data("GET", f"/payout-structures/{fee}/assignments")
    assert {assignment["end_date"] for assignment in assigned} == {"2026-05-17"}


@pytest.mark.slow
def test_many_creators_join_a_campaign_or_none(
    admin: Sitter, tenant: Tenant, other: Tenant
) -> None:
    creators = [tenant.creator(name, display_name=name) for name in ("ada", "bo", "eve")]
    stranger = other.creator("zoe")
    campaign = tenant.client.data(
        "POST", f"/projects/{tenant.project_id}/campaigns", json={"name": "May"}, status=201
    )["id"]
    items = f"/campaigns/{campaign}/items"
    page = f"{admin.home}/campaigns/{campaign}/creators"
    refused = admin.send(page, page=page, add="selected", **ticked(*creators, stranger))
    assert refused.status_code == 404
    assert tenant.client.data("GET", items) == []
    admin.send(page, page=page, add="selected", **ticked(creators[0]))
    answer = admin.send(page, page=page, add="selected", **ticked(*creators))
    assert len(tenant.client.data("GET", items)) == 3
    after = admin.get(answer.headers["Location"]).text
    assert "2 creators added." in after
    [undo] = re.findall(r'name="remove" value="([^"]+)" class="small', after)
    admin.send(page, page=page, remove=undo)
    [item] = tenant.client.data("GET", items)
    assert item["item_id"] == creators[0]["id"]
    admin.send(page, page=page, add="selected", **ticked(*creators))
    tenant.client.data("PATCH", f"/creators/{creators[2]['id']}", json={"is_active": False})
    admin.send(page, page=page, remove="selected", **ticked(*creators))
    assert tenant.client.data("GET", items) == []
    refused = admin.send(page, page=page, add="selected", **ticked(*creators))
    assert "The creator was removed: eve" in refused.text
    # The page shows the error above the search results, with the same boxes ticked.
    boxes = re.findall(r'name="selected.([^"]+)"[^>]* checked>', refused.text)
    assert set(boxes) == {creator["id"] for creator in creators[:2]}
    assert tenant.client.data("GET", items) == []
