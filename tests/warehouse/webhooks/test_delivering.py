"""Messages arrive signed, in order and at least once, only at their endpoint."""

import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import text

from tests.fixtures.locks import wait_until_waiting
from tests.fixtures.receiver import Received, listening
from tests.warehouse.webhooks.conftest import Hooks
from warehouse.operational.models import Organization, WebhookEndpoint
from warehouse.operational.organizations import create_organization
from warehouse.webhooks import delivering
from warehouse.webhooks.due import DELAYS, due_endpoints, waiting_messages
from warehouse.webhooks.log import send_again
from warehouse.webhooks.queue import GONE, LEASE, PAUSED_AFTER, PAUSES, claim, settle
from warehouse.webhooks.sending import MOST_OF_ANSWER, Answer, Sender


class TestSigned:
    def test_a_message_is_what_the_specification_says(self, hooks: Hooks) -> None:
        endpoint_id, secret = hooks.endpoint()
        event = hooks.event()
        hooks.record(event)
        assert hooks.deliver() == {"arrived": 1}
        [received] = hooks.receiver.received
        assert received.is_signed_with(secret)
        assert received.id == str(event.id)
        assert received.headers["webhook-timestamp"] == str(int(hooks.now.timestamp()))
        assert received.headers["content-type"] == "application/json"
        assert received.json == {
            "type": "goal.completed",
            "timestamp": "2026-05-20T12:00:00+00:00",
            "data": {
                "organization_id": str(hooks.organization_id),
                "goal_id": "one",
                "state": "done",
            },
        }
        [delivery] = hooks.deliveries()
        assert (delivery.status, delivery.answered, delivery.attempts) == ("delivered", 204, 1)
        assert hooks.read(endpoint_id).last_success_at == hooks.now

    @pytest.mark.parametrize(("hours", "signs"), [(23, True), (24, False)])
    def test_the_preceding_secret_also_signs_until_it_expires(
        self, hooks: Hooks, hours: int, *, signs: bool
    ) -> None:
        before, old = hooks.endpoint(is_enabled=False)
        secret_encrypted = hooks.read(before).secret_encrypted
        until = hooks.now + timedelta(hours=24)
        columns = {
            "previous_secret_encrypted": secret_encrypted,
            "previous_secret_expires_at": until,
        }
        _, secret = hooks.endpoint(**columns)
        hooks.record(hooks.event())
        hooks.now += timedelta(hours=hours)
        hooks.deliver()
        [received] = hooks.receiver.received
        assert received.is_signed_with(secret)
        assert received.is_signed_with(old) is signs

    def test_an_unreadable_preceding_secret_signs_nothing(self, hooks: Hooks) -> None:
        """The secret was rotated because it could not be read."""
        until = hooks.now + timedelta(hours=24)
        unreadable = {
            "previous_secret_encrypted": b"made with another key",
            "previous_secret_expires_at": until,
        }
        _, secret = hooks.endpoint(**unreadable)
        hooks.record(hooks.event())
        assert hooks.deliver() == {"arrived": 1}
        [received] = hooks.receiver.received
        assert received.is_signed_with(secret)

    def test_an_unreadable_secret_is_reported_and_retried(self, hooks: Hooks) -> None:
        hooks.endpoint(secret_encrypted=b"made with another key")
        hooks.record(hooks.event())
        assert hooks.deliver() == {"failed": 1}
        [delivery] = hooks.deliveries()
        assert "cannot decrypt" in (delivery.error or "")
        assert hooks.receiver.received == []


class TestRetries:
    @pytest.mark.slow
    def test_ten_times_over_three_days_then_given_up_and_the_endpoint_disabled(
        self, hooks: Hooks
    ) -> None:
        endpoint_id, _ = hooks.endpoint()
        hooks.receiver.answer(500, b"not now")
        hooks.record(hooks.event())
        began = hooks.now
        for delay in DELAYS:
            assert hooks.deliver() == {"failed": 1}
            hooks.now += delay - timedelta(milliseconds=1)
            assert hooks.deliver() == {}
            hooks.now += timedelta(milliseconds=1)
        assert hooks.read(endpoint_id).is_enabled
        assert hooks.deliver() == {"failed": 1}
        assert timedelta(days=3) < hooks.now - began < timedelta(days=4)
        assert len(set(hooks.receiver.ids)) == 1
        assert len(hooks.receiver.ids) == 10
        [delivery] = hooks.deliveries()
        assert (delivery.status, delivery.answered, delivery.answer) == ("failed", 500, "not now")
        endpoint = hooks.read(endpoint_id)
        assert (endpoint.is_enabled, endpoint.disabled_reason) == (False, "failing")
        assert endpoint.disabled_at == hooks.now

    @pytest.mark.slow
    def test_an_endpoint_that_accepts_other_messages_stays_enabled(self, hooks: Hooks) -> None:
        endpoint_id, _ = hooks.endpoint()
        bad, good = hooks.event("bad"), hooks.event("good")
        refused = str(bad.id)
        hooks.receiver.answering = lambda message: (400 if message.id == refused else 200, b"")
        hooks.record(bad)
        for delay in DELAYS:
            hooks.deliver()
            hooks.now += delay
        hooks.record(good)
        hooks.deliver()
        hooks.deliver()
        assert {delivery.status for delivery in hooks.deliveries()} == {"failed", "delivered"}
        assert hooks.read(endpoint_id).is_enabled

    def test_410_disables_at_once_and_ends_waiting_messages(self, hooks: Hooks) -> None:
        endpoint_id, _ = hooks.endpoint()
        hooks.receiver.answer(410)
        first, second = hooks.event(), hooks.event("another")
        hooks.record(first, second)
        hooks.deliver()
        assert hooks.read(endpoint_id).disabled_reason == "gone"
        assert [(delivery.status, delivery.attempts) for delivery in hooks.deliveries()] == [
            ("failed", 1),
            ("failed", 0),
        ]
        assert [delivery.answered for delivery in hooks.deliveries()] == [410, None]
        assert hooks.deliveries()[1].error == GONE
        hooks.record(hooks.event("later"))
        hooks.now += timedelta(hours=1)
        assert hooks.deliver() == {}
        hooks.receiver.answer(200)
        with hooks.store.write_session() as session:
            endpoint = session.get_one(WebhookEndpoint, endpoint_id)
            endpoint.is_enabled = True
            send_again(session, endpoint, [first.id, second.id])
        hooks.now += timedelta(days=9999)  # resent messages are due by PostgreSQL's clock
        assert hooks.deliver() == {"arrived": 2}

    def test_no_redirect_is_followed(self, hooks: Hooks) -> None:
        hooks.endpoint()
        hooks.receiver.answer(307)
        hooks.record(hooks.event())
        assert hooks.deliver() == {"failed": 1}
        assert [each.path for each in hooks.receiver.received] == ["/hook"]

    def test_only_the_beginning_of_a_long_answer_is_stored(self, hooks: Hooks) -> None:
        hooks.endpoint()
        hooks.receiver.answer(500, b"\0" + b"x" * 1_000_000)
        hooks.record(hooks.event())
        hooks.deliver()
        [delivery] = hooks.deliveries()
        assert delivery.answer == "�" + "x" * (MOST_OF_ANSWER - 1)

    def test_a_slow_answer_is_a_failure(self, hooks: Hooks) -> None:
        hooks.endpoint()
        let_go = threading.Event()

        def slowly(_: Received) -> tuple[int, bytes]:
            let_go.wait(30)
            return 200, b""

        hooks.receiver.answering = slowly
        hooks.record(hooks.event())
        assert hooks.deliver(Sender(loopback=True, seconds=0.2)) == {"failed": 1}
        let_go.set()
        assert hooks.deliveries()[0].error == "no complete response within 0.2 seconds"

    @pytest.mark.parametrize("then", ["breaks off", "stays open"])
    def test_a_status_counts_although_its_body_does_not_end(self, then: str) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            done = threading.Event()

            def serve() -> None:
                with server.accept()[0] as connection:
                    connection.recv(65536)
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nthanks")
                    if then == "stays open":
                        done.wait(30)

            serving = threading.Thread(target=serve)
            serving.start()
            url = f"http://127.0.0.1:{server.getsockname()[1]}/"
            answer = Sender(loopback=True, seconds=3).post(url, {}, b"{}")
            done.set()
            serving.join()
        assert answer == Answer(200, "thanks")

    def test_a_refused_connection_is_a_failure(self, hooks: Hooks) -> None:
        with listening() as gone:
            pass
        hooks.endpoint(gone)
        hooks.record(hooks.event())
        assert hooks.deliver() == {"failed": 1}
        assert "no connection" in (hooks.deliveries()[0].error or "")


class TestInOrder:
    def test_a_later_event_of_an_entity_waits_for_the_earlier(self, hooks: Hooks) -> None:
        hooks.endpoint()
        first, second, third = (hooks.event(state=state) for state in ("1", "2", "3"))
        apart = hooks.event("another")
        for event in (first, second, apart, third):
            hooks.record(event)
        refused = str(first.id)
        hooks.receiver.answering = lambda message: (500 if message.id == refused else 200, b"")
        hooks.deliver()
        hooks.deliver()
        assert hooks.receiver.ids == [str(first.id), str(apart.id)]
        hooks.receiver.answer(200)
        hooks.now += DELAYS[0]
        hooks.deliver()
        assert hooks.receiver.ids[2:] == [str(first.id), str(second.id), str(third.id)]

    def test_each_message_is_compared_with_the_first_of_its_entity_only(self, hooks: Hooks) -> None:
        """This holds for any statistics: without an analyze, none of 12,000 messages was sent."""
        endpoint_id, _ = hooks.endpoint()
        hooks.record(hooks.event("old"))
        self.update(hooks, "status = 'delivered'", hooks.now)
        with hooks.store.write_session() as session:
            session.execute(text("analyze webhook_deliveries"))
        hooks.record(*(hooks.event(str(number), "retried") for number in range(300)))
        self.update(hooks, "next_attempt_at = :at where status = 'pending'", hooks.now + DELAYS[0])
        hooks.record(*(hooks.event(str(number), "later") for number in range(300)))
        hooks.record(hooks.event("last"))
        self.update(hooks, "next_attempt_at = :at where entity = 'goal:last'", hooks.now)
        reads = text(
            "select seq_tup_read + idx_tup_fetch from pg_stat_xact_user_tables"
            " where relname = 'webhook_deliveries'"
        )
        with hooks.store.write_session() as session:
            for results in (
                lambda: due_endpoints(session, hooks.now) == [endpoint_id],
                lambda: waiting_messages(session, hooks.now) == (601, hooks.now),
                lambda: claim(session, endpoint_id, hooks.clock),
            ):
                before = session.scalar(reads) or 0
                assert results()
                assert (session.scalar(reads) or 0) - before < 10 * 601

    def update(self, hooks: Hooks, changes: str, at: datetime) -> None:
        with hooks.store.write_session() as session:
            session.execute(text(f"update webhook_deliveries set {changes}"), {"at": at})

    def test_a_locked_message_delays_only_its_entity(self, hooks: Hooks) -> None:
        endpoint_id, _ = hooks.endpoint()
        locked, later, free = hooks.event(state="1"), hooks.event(state="2"), hooks.event("two")
        for event in (locked, later, free):
            hooks.record(event)
        with psycopg.connect(hooks.store.dsn) as locking, hooks.store.write_session() as session:
            lock = "select from webhook_deliveries where event_id = %s for update"
            locking.execute(lock, [locked.id])
            claimed = claim(session, endpoint_id, hooks.clock)
            assert claimed is not None
            assert claimed.event.id == free.id
            assert claim(session, endpoint_id, hooks.clock) is None

    def test_a_given_up_message_blocks_no_other(self, hooks: Hooks) -> None:
        endpoint_id, _ = hooks.endpoint(last_success_at=hooks.now + timedelta(days=9))
        first, second = hooks.event(state="1"), hooks.event(state="2")
        hooks.record(first, second)
        refused = str(first.id)
        hooks.receiver.answering = lambda message: (500 if message.id == refused else 200, b"")
        for delay in (*DELAYS, timedelta()):
            hooks.deliver()
            hooks.now += delay
        assert hooks.receiver.ids == [str(first.id)] * 10 + [str(second.id)]
        assert hooks.read(endpoint_id).is_enabled

    def test_one_endpoint_waits_for_no_other(self, hooks: Hooks) -> None:
        with listening() as broken:
            broken.answer(500)
            hooks.endpoint(broken)
            hooks.endpoint()
            first, second = hooks.event(state="1"), hooks.event(state="2")
            hooks.record(first, second)
            hooks.deliver()
            assert broken.ids == [str(first.id)]
        assert hooks.receiver.ids == [str(first.id), str(second.id)]

    def test_a_slow_endpoint_has_no_longer_turn_than_others(
        self, hooks: Hooks, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Otherwise it blocks a thread for a hundred messages of 15 seconds each."""
        monkeypatch.setattr(delivering, "LONGEST_TURN", timedelta())
        hooks.endpoint()
        hooks.record(*(hooks.event(str(number)) for number in range(4)))
        hooks.deliverer().begin()
        hooks.pool.shutdown()
        assert len(hooks.receiver.received) == 1


class TestPaused:
    """A failing endpoint gets one message at a time, at growing intervals."""

    @pytest.mark.slow
    def test_an_endpoint_that_is_down_gets_few_requests_and_then_all_in_order(
        self, hooks: Hooks
    ) -> None:
        """58 events, 25 minutes of 500: three failures, probes after 5, 30, 120 and 600 s."""
        endpoint_id, _ = hooks.endpoint()
        hooks.receiver.answer(500)
        events = [hooks.event(f"goal {n % 29}", state=f"{n // 29}") for n in range(58)]
        hooks.record(*events)
        for _ in range(100):
            hooks.deliver()
            hooks.now += timedelta(seconds=15)
        assert len(hooks.receiver.ids) == PAUSED_AFTER + 4
        paused_until = hooks.read(endpoint_id).paused_until
        assert paused_until is not None
        assert hooks.now < paused_until < hooks.now + PAUSES[4]
        before = len(hooks.receiver.ids)
        hooks.receiver.answer(200)
        assert hooks.deliver() == {}
        hooks.now = paused_until
        assert hooks.deliver() == {"arrived": 58}
        endpoint = hooks.read(endpoint_id)
        assert (endpoint.failures, endpoint.paused_until) == (0, None)
        assert {delivery.status for delivery in hooks.deliveries()} == {"delivered"}
        arrived = hooks.receiver.ids[before:]
        for first, second in zip(events[:29], events[29:], strict=True):
            assert arrived.index(str(first.id)) < arrived.index(str(second.id))

    @pytest.mark.slow
    def test_after_three_days_it_is_disabled_and_waiting_messages_are_sent_later(
        self, hooks: Hooks
    ) -> None:
        endpoint_id, _ = hooks.endpoint()
        hooks.receiver.answer(500)
        hooks.record(*(hooks.event(str(number)) for number in range(20)))
        began, requests = hooks.now, PAUSED_AFTER
        assert hooks.deliver() == {"failed": PAUSED_AFTER}
        for pause in PAUSES:
            assert hooks.read(endpoint_id).is_enabled
            hooks.now += pause
            assert hooks.deliver() == {"failed": 1}
            requests += 1
        assert timedelta(days=3) < hooks.now - began < timedelta(days=4)
        assert len(hooks.receiver.ids) == requests
        endpoint = hooks.read(endpoint_id)
        assert (endpoint.is_enabled, endpoint.disabled_reason) == (False, "failing")
        assert {delivery.status for delivery in hooks.deliveries()} == {"pending"}

    @pytest.mark.parametrize("failures", [1, PAUSED_AFTER], ids=["retry", "pause"])
    def test_messages_delayed_by_a_clock_that_was_ahead_are_sent(
        self, hooks: Hooks, failures: int
    ) -> None:
        hooks.endpoint()
        hooks.receiver.answer(500)
        hooks.record(*(hooks.event(f"goal {n}") for n in range(failures)))
        right = hooks.now
        hooks.now += timedelta(days=30)
        hooks.deliver()
        hooks.receiver.answer(200)
        hooks.now = right
        assert hooks.deliver() == {"arrived": failures}

    def test_two_deliverers_send_one_probe(self, hooks: Hooks) -> None:
        endpoint_id, _ = hooks.endpoint()
        hooks.receiver.answer(500)
        hooks.record(*(hooks.event(str(number)) for number in range(9)))
        hooks.deliver()
        hooks.now += PAUSES[0]
        with hooks.store.write_session() as session, hooks.store.write_session() as other:
            probe = claim(session, endpoint_id, hooks.clock)
            session.commit()
            assert probe is not None
            assert claim(other, endpoint_id, hooks.clock) is None
        assert hooks.deliver() == {}
        hooks.now += LEASE  # the deliverer of the probe was killed
        assert hooks.deliver() == {"failed": 1}

    def test_a_message_on_its_way_when_it_is_paused_counts_for_nothing(self, hooks: Hooks) -> None:
        endpoint_id, _ = hooks.endpoint()
        hooks.receiver.answer(500)
        hooks.record(*(hooks.event(str(number)) for number in range(9)))
        with hooks.store.write_session() as session:
            late = claim(session, endpoint_id, hooks.clock)
        assert late is not None
        hooks.deliver()
        paused_until = hooks.read(endpoint_id).paused_until
        hooks.now += timedelta(seconds=1)
        with hooks.store.write_session() as session:
            settle(session, late, Answer(500, ""), hooks.clock, lambda: 0.0)
        endpoint = hooks.read(endpoint_id)
        assert (endpoint.failures, endpoint.paused_until) == (PAUSED_AFTER, paused_until)


class TestAtLeastOnce:
    def test_a_late_answer_changes_no_message_taken_over(self, hooks: Hooks) -> None:
        endpoint_id, _ = hooks.endpoint()
        hooks.record(hooks.event())
        with hooks.store.write_session() as session:
            late = claim(session, endpoint_id, hooks.clock)
        assert late is not None
        hooks.now += LEASE
        with hooks.store.write_session() as session:
            assert claim(session, endpoint_id, hooks.clock) is not None
        with hooks.store.write_session() as session:
            settle(session, late, Answer(410, ""), hooks.clock, lambda: 0.0)
        assert hooks.read(endpoint_id).is_enabled
        hooks.now += LEASE
        assert hooks.deliver() == {"arrived": 1}
        with hooks.store.write_session() as session:
            settle(session, late, Answer(410, ""), hooks.clock, lambda: 0.0)
        assert [delivery.status for delivery in hooks.deliveries()] == ["delivered"]
        assert hooks.read(endpoint_id).is_enabled

    def test_an_answer_of_the_preceding_url_disables_no_other(self, hooks: Hooks) -> None:
        endpoint_id, _ = hooks.endpoint()
        hooks.record(hooks.event("one"), hooks.event("two"))
        url = hooks.read(endpoint_id).url
        with hooks.store.write_session() as session:
            late = claim(session, endpoint_id, hooks.clock)
        assert late is not None
        hooks.move(endpoint_id, f"{url}/new")
        with hooks.store.write_session() as session:
            settle(session, late, Answer(410, ""), hooks.clock, lambda: 0.0)
        assert hooks.read(endpoint_id).is_enabled
        assert hooks.deliver() == {"arrived": 2}

    @pytest.mark.parametrize("work", ["claim", "settle"])
    def test_an_endpoint_is_locked_before_its_deliveries(self, hooks: Hooks, work: str) -> None:
        """Deletion locks in the same order; the reverse order would deadlock."""
        endpoint_id, _ = hooks.endpoint(failures=PAUSED_AFTER if work == "claim" else 0)
        hooks.record(hooks.event())
        sent = None
        if work == "settle":
            with hooks.store.write_session() as session:
                sent = claim(session, endpoint_id, hooks.clock)

        def do() -> object:
            with hooks.store.write_session() as session:
                if sent is None:
                    return claim(session, endpoint_id, hooks.clock)
                return settle(session, sent, Answer(200, ""), hooks.clock, lambda: 0.0)

        with psycopg.connect(hooks.store.dsn) as deleting:
            lock = "select from webhook_endpoints where id = %s for update"
            deleting.execute(lock, [endpoint_id])
            done = hooks.pool.submit(do)
            wait_until_waiting(hooks.store.dsn)
            deleting.execute("delete from webhook_endpoints where id = %s", [endpoint_id])
        assert done.result() is None

    def test_a_lease_begins_after_the_wait_for_its_endpoint(self, hooks: Hooks) -> None:
        """An earlier lease expires during the wait, and another deliverer sends the message too."""
        hooks.endpoint()
        hooks.record(hooks.event())
        with psycopg.connect(hooks.store.dsn) as locking, ThreadPoolExecutor(1) as deliverer:
            locking.execute("select from webhook_endpoints for no key update")
            delivered = deliverer.submit(hooks.deliver)
            wait_until_waiting(hooks.store.dsn)
            hooks.now += LEASE
            locking.commit()
            assert delivered.result() == {"arrived": 1}
        assert [delivery.last_attempt_at for delivery in hooks.deliveries()] == [hooks.now]

    def test_a_retry_waits_from_the_end_of_the_wait_for_its_endpoint(self, hooks: Hooks) -> None:
        """Otherwise the retry is due at once and the endpoint's pause is over."""
        endpoint_id, _ = hooks.endpoint()
        hooks.record(hooks.event())
        with hooks.store.write_session() as session:
            sent = claim(session, endpoint_id, hooks.clock)
        assert sent is not None

        def fail() -> None:
            with hooks.store.write_session() as session:
                settle(session, sent, Answer(500, ""), hooks.clock, lambda: 0.0)

        with psycopg.connect(hooks.store.dsn) as locking:
            locking.execute("select from webhook_endpoints for no key update")
            failed = hooks.pool.submit(fail)
            wait_until_waiting(hooks.store.dsn)
            hooks.now += LEASE
            locking.commit()
            failed.result()
        due = [delivery.next_attempt_at for delivery in hooks.deliveries()]
        assert due == [hooks.now + DELAYS[0]]

    def test_two_deliverers_send_each_message_once(self, hooks: Hooks) -> None:
        hooks.endpoint()
        events = [hooks.event(str(number)) for number in range(40)]
        hooks.record(*events)
        deliverers = [threading.Thread(target=hooks.deliver) for _ in range(2)]
        for each in deliverers:
            each.start()
        for each in deliverers:
            each.join()
        assert sorted(hooks.receiver.ids) == sorted(str(event.id) for event in events)


class TestLog:
    def test_an_event_is_logged_once_however_often_it_is_found(self, hooks: Hooks) -> None:
        hooks.endpoint()
        event = hooks.event()
        assert hooks.record(event, event) == 1
        assert hooks.record(event, hooks.event(state="more")) == 1
        assert hooks.deliver() == {"arrived": 2}

    def test_a_deleted_endpoint_does_not_prevent_logging(self, hooks: Hooks) -> None:
        """Otherwise the transaction fails with everything in it: a batch, a payment."""
        endpoint_id, _ = hooks.endpoint()
        dsn = hooks.store.dsn
        with psycopg.connect(dsn) as deleting:
            deleting.execute("delete from webhook_endpoints where id = %s", [endpoint_id])
            logged = hooks.pool.submit(hooks.record, hooks.event())
            wait_until_waiting(dsn)
            deleting.commit()
        assert logged.result() == 1
        assert hooks.deliveries() == []

    def test_organizations_are_apart(self, hooks: Hooks) -> None:
        hooks.endpoint()
        with hooks.store.write_session() as session:
            made = create_organization(session, name="Other", plan="free", analytics_tz="UTC")
            other = made.organization_id
        assert hooks.record(hooks.event(organization_id=other)) == 0
        with listening() as theirs:
            hooks.endpoint(theirs, organization_id=other)
            mine, other_s = hooks.event(), hooks.event(organization_id=other)
            assert mine.id != other_s.id
            assert hooks.record(mine, other_s) == 2
            hooks.deliver()
            assert theirs.ids == [str(other_s.id)]
        assert hooks.receiver.ids == [str(mine.id)]

    def test_a_suspended_organization_gets_no_messages(self, hooks: Hooks) -> None:
        hooks.endpoint()
        hooks.record(hooks.event())
        self.suspend(hooks, hooks.organization_id, suspended=True)
        assert hooks.deliver() == {}
        self.suspend(hooks, hooks.organization_id, suspended=False)
        assert hooks.deliver() == {"arrived": 1}

    def suspend(self, hooks: Hooks, organization_id: UUID, *, suspended: bool) -> None:
        with hooks.store.write_session() as session:
            session.get_one(Organization, organization_id).is_suspended = suspended
