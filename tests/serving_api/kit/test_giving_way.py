"""A large write pauses for others, and never for long."""

import pytest

from serving_api.kit import giving_way


def test_pauses_end_with_their_reason_and_are_bounded() -> None:
    now, reasons = [0.0], [True]

    def wait(seconds: float) -> None:
        now[0] += seconds
        reasons[0] = now[0] < 0.01 or now[0] > 1.0

    pause = giving_way._pauses(lambda: reasons[0], lambda: now[0], wait)
    pause()
    assert now[0] == pytest.approx(0.01)  # nobody is served any more
    now[0], reasons[0] = 2.0, True
    pause()
    assert now[0] == pytest.approx(2.0 + giving_way.OF_STATEMENT, abs=2 * giving_way.STEP)
    for _ in range(100):
        pause()
    assert now[0] == pytest.approx(2.0 + giving_way.OF_WRITE - 0.01, abs=2 * giving_way.STEP)
