"""The settings of a run of a shard, where one installation of Dagster's computes all of them.

They follow from the run itself, so that it makes no difference who starts it and which launcher
carries it where: a process of this machine, a container, a pod.
"""

from dagster import InitResourceContext, ResourceDefinition
from dagster._core.storage.tags import PARTITION_NAME_TAG

from warehouse.settings import MAIN_SHARD, Settings


def settings_of_run(settings: Settings) -> ResourceDefinition:
    """Return what hands out `settings` for the shard that a run's partition names, else `main`."""

    def of_run(context: InitResourceContext) -> Settings:
        tags = context.run.tags if context.run else {}
        return settings.of_shard(tags.get(PARTITION_NAME_TAG, MAIN_SHARD))

    return ResourceDefinition(of_run)
