"""Zone names are those of the IANA database, on every machine."""

from zoneinfo import ZoneInfo

import pytest

from warehouse.zones import UnknownZoneError, require_zone, zone_names, zones_by_city


def test_every_name_is_a_zone_that_python_knows() -> None:
    assert {"UTC", "Europe/Berlin", "Asia/Kathmandu", "US/Pacific"} <= zone_names()
    assert all(ZoneInfo(name).key == name for name in zone_names())


@pytest.mark.parametrize(
    "name", ["", "utc", "Europe", "localtime", "posixrules", "/etc/localtime", "UTC\x00", "+02:00"]
)
def test_an_invalid_zone_is_refused_by_name(name: str) -> None:
    with pytest.raises(UnknownZoneError) as refusal:
        require_zone(name)
    assert repr(name) in str(refusal.value)


@pytest.mark.parametrize(
    ("name", "zone"),
    [("New York", "America/New_York"), ("europe/berlin", "Europe/Berlin"), ("utc", "UTC")],
)
def test_a_refusal_names_near_zones(name: str, zone: str) -> None:
    with pytest.raises(UnknownZoneError, match=f"such as '{zone}'"):
        require_zone(name)


def test_zones_are_listed_by_city() -> None:
    listed = zones_by_city()
    assert listed.keys() <= zone_names()
    assert list(listed.values())[:2] == ["UTC", "Abidjan (Africa/Abidjan)"]
    assert listed["America/New_York"] == "New York (America/New_York)"
    assert "US/Pacific" not in listed
