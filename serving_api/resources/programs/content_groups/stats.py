"""What a group's videos add up to, from the latest counts of the current publication."""

from collections import defaultdict
from collections.abc import Mapping
from uuid import UUID

from serving_api.kit.errand import Errand
from serving_api.kit.sums import sum_of_known
from serving_api.resources.programs.content_groups import repository, schemas, service
from warehouse.reading.videos import VideoCounts, latest_counts

COUNTERS = tuple(schemas.Totals.model_fields)


def read_stats(errand: Errand, group_id: UUID) -> schemas.ContentGroupStats:
    """Return the sums over the group's videos that count in metrics. Raises NotFound."""
    service.require(errand, group_id)
    platforms: dict[str, list[UUID]] = defaultdict(list)
    for video_id, platform in repository.counted_videos(
        errand.session, errand.organization_id, group_id
    ):
        platforms[platform].append(video_id)
    counted = [video_id for ids in platforms.values() for video_id in ids]
    counts = errand.numbers.look_up(latest_counts, errand.organization_id, counted)
    return schemas.ContentGroupStats(
        video_count=len(counted),
        totals=schemas.Totals(**_totals(counted, counts)),
        by_platform={
            platform: schemas.PlatformStats(video_count=len(ids), **_totals(ids, counts))
            for platform, ids in sorted(platforms.items())
        },
    )


def _totals(ids: list[UUID], counts: Mapping[UUID, VideoCounts]) -> dict[str, int | None]:
    known = [counts[video_id] for video_id in ids if video_id in counts]
    return {
        name: sum_of_known(getattr(video, name) for video in known) if ids else 0
        for name in COUNTERS
    }
