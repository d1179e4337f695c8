"""The simulator over real sockets, in a thread."""

import threading
from datetime import timedelta

import httpx
import pytest

from scrapers.simulator import EPOCH, Fault, FaultKind, Faults, World, running_simulator


class TestInAThread:
    def test_serves_both_platforms_under_one_port(self, world: World) -> None:
        with running_simulator(world) as simulator, httpx.Client() as http:
            simulator.set_now(EPOCH)
            handle = simulator.world.handles("tiktok")[0]
            assert http.get(f"{simulator.tiktok_url}/@{handle}").status_code == 200
            assert http.get(f"{simulator.instagram_url}/{handle}/").status_code == 200

    def test_the_clock_can_be_set_from_outside(self, world: World) -> None:
        with running_simulator(world) as simulator, httpx.Client() as http:
            for days in (0, 3):
                at = EPOCH + timedelta(days=days)
                simulator.set_now(at)
                clock = http.get(f"{simulator.base_url}/_simulator/clock").json()
                assert clock == {"now": at.isoformat()}
            with pytest.raises(ValueError, match="needs a UTC offset"):
                simulator.set_now(EPOCH.replace(tzinfo=None))

    def test_a_reset_reaches_the_client_and_the_next_request_is_answered(
        self, world: World
    ) -> None:
        faults = Faults(rules=(Fault(kind=FaultKind.RESET, times=1),))
        with running_simulator(world, faults=faults) as simulator, httpx.Client() as http:
            url = f"{simulator.tiktok_url}/@{world.handles('tiktok')[0]}"
            with pytest.raises(httpx.ReadError):
                http.get(url)
            assert http.get(url).status_code == 200

    def test_leaves_neither_thread_nor_port_behind(self, world: World) -> None:
        before = {*threading.enumerate()}
        with running_simulator(world) as simulator, httpx.Client() as http:
            http.get(f"{simulator.base_url}/_simulator/clock")
            port = int(simulator.base_url.rpartition(":")[2])
        assert {*threading.enumerate()} <= before  # threads of other tests may end
        with running_simulator(world, port=port) as again:
            assert again.base_url == simulator.base_url

    def test_a_taken_port_is_an_error(self, world: World) -> None:
        with running_simulator(world) as simulator:
            port = int(simulator.base_url.rpartition(":")[2])
            with pytest.raises(OSError, match="in use"), running_simulator(world, port=port):
                pass
