"""Pictures of posts over HTTP: each organization that tracks a post may read its stored picture."""

from urllib.parse import urlsplit

import httpx

from tests.factories.pictures import jpeg
from tests.fixtures.api import Tenant, new_tenant
from warehouse.operational.models import PostPicture, Video
from warehouse.storage.opening import open_storage

PATH = "pictures/fedcba9876543210.jpg"


def keep_picture(tenant: Tenant, video: str) -> None:
    with tenant.api.store.write_session() as session:
        post = session.get_one(Video, video)
        key = {"platform": post.platform, "platform_video_id": post.platform_video_id}
        session.merge(PostPicture(**key, url="https://pictures.example.com/1", path=PATH))
    open_storage(tenant.api.settings).put(PATH, jpeg())


def test_two_organizations_have_the_picture_of_a_post_that_both_track(tenant: Tenant) -> None:
    video = tenant.video(7)["id"]
    address = f"/videos/{video}/thumbnail"
    assert tenant.client.data("GET", address) is None
    with new_tenant(tenant.api) as other:
        theirs = other.video(7)["id"]
        keep_picture(tenant, video)
        for owner, own in ((tenant, video), (other, theirs)):
            picture = owner.client.data("GET", f"/videos/{own}/thumbnail")
            assert (picture["content_type"], picture["size"]) == ("image/jpeg", len(jpeg()))
            had = httpx.get(tenant.api.base_url + urlsplit(picture["download_url"]).path)
            assert had.content == jpeg()
        other.client.refusal("GET", address, "not_found")
    assert tenant.client.data("GET", f"/videos/{tenant.video(8)['id']}/thumbnail") is None
