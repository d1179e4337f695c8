"""`tracker simulations`: computes queued simulations; any number can run."""

from contextlib import closing

from orchestration.cli.opening import current_store, settings_of_environment
from orchestration.cli.run import AsJson, Stay
from orchestration.cli.staying import Every, report
from orchestration.cli.staying import stay as work_on


def simulations(stay: Stay = False, every: Every = 5.0, as_json: AsJson = False) -> None:
    """Compute queued payout simulations, which take longer than a request.

    Runs on any machine that reaches PostgreSQL and the publications; two workers never compute the
    same. `tracker up` includes one. If one is killed, another continues its simulation after three
    minutes.

    Examples: `tracker simulations` or `tracker simulations --stay`
    """
    # The API takes a second to load; the list of commands does not load it.
    from serving_api.resources.payouts.simulation_jobs.worker import Worker  # noqa: PLC0415
    from warehouse.shards.publications import ShardPublications  # noqa: PLC0415

    settings = settings_of_environment()
    with current_store(settings) as store, closing(ShardPublications(settings)) as current:
        worker = Worker(store, current)
        if stay:
            work_on(worker.work, every, "simulations")
        ended = worker.work()
    report("simulations", ended, as_json=as_json)
