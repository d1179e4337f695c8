"""Bought views put exactly the amounts that depend on them on hold, however they were read."""

from datetime import UTC, datetime
from typing import ClassVar
from uuid import UUID

from tests.dbt_project.changed_worlds import ChangedWorld
from tests.oracles.payout_world import ACCOUNT, CREATOR, OTHER, OTHERS_ACCOUNT, OWNER, Row, at


class Story(ChangedWorld):
    """A creator under a rule that holds odd readings; the second run sees bought views."""

    HELD: ClassVar[set[tuple[str, int]]]
    """Whose amount is on hold, and the day of March on which its period starts."""

    def __init__(self) -> None:
        super().__init__()
        self.decide()
        self.post_of_creator = self.grown()

    def decide(self) -> None:
        self.cpm("daily")["hold_anomalies"] = True
        self.assign(1)

    def grown(self, **columns: object) -> Row:
        """Add a post with two days of readings."""
        post = self.post(at(2))
        post.update(columns)
        self.see(post, at(2), 1_000, 100, 4)
        self.see(post, at(3), 2_000, 200, 7)
        return post

    def buy(self, post: Row) -> None:
        """Add a reading with bought views on day 4 at noon."""
        self.see(post, at(4), 42_000, 202, 7)

    def see(
        self, post: Row, instant: datetime, views: int, likes: int | None, comments: int | None
    ) -> None:
        """Add a reading, rounded if it has neither likes nor comments."""
        self.read(post, instant, views, exact=likes is not None or comments is not None)
        self.readings[-1].update(like_count=likes, comment_count=comments)


def hand_over(story: Story, post: Row, instant: datetime) -> None:
    first = {"account_id": ACCOUNT, "creator_id": CREATOR, "valid_from": at(1)}
    other = {"account_id": OTHERS_ACCOUNT, "creator_id": OTHER}
    post.update(other)
    owners = [first, {**other, "valid_from": instant}]
    story.tables["video_owners"] += [{"video_id": post["id"], **owner} for owner in owners]


class ReadWithoutLikes(Story):
    """Likes are unknown at the first of two readings of bought views."""

    HELD: ClassVar = {("creator", 4), ("creator", 5)}

    def change(self) -> None:
        self.see(self.post_of_creator, at(4), 22_000, None, 8)
        self.see(self.post_of_creator, at(5), 42_100, 210, 8)
        self.see(self.post_of_creator, at(6), 42_300, 240, 9)


class CountedByRoundedReading(Story):
    """The bought views count at a rounded reading; the next exact one reveals them."""

    HELD: ClassVar = {("creator", 4), ("creator", 5)}

    def change(self) -> None:
        self.see(self.post_of_creator, at(4), 42_000, None, None)
        self.see(self.post_of_creator, at(5), 42_100, 210, 8)
        self.see(self.post_of_creator, at(6), 42_300, 240, 9)


class Gone(Story):
    """The last reading of a post shows a large step with plausible likes."""

    HELD: ClassVar = {("creator", 4)}

    def change(self) -> None:
        self.see(self.post_of_creator, at(4), 27_600, 2_760, 90)


class GoneAfterSixHours(Gone):
    """A reading six hours later reveals nothing more."""

    def change(self) -> None:
        super().change()
        self.see(self.post_of_creator, at(4, 18), 27_650, 2_765, 90)


class GoneAfterAnOutage(Story):
    """The only reading in two days is the last one."""

    HELD: ClassVar = {("creator", 5)}

    def change(self) -> None:
        self.see(self.post_of_creator, at(5), 27_600, 2_760, 90)


class ReadAfterMoreThanAWeek(Story):
    """Views of a week without readings are unexplained, as is the gap at first."""

    HELD: ClassVar = {("creator", 10)}

    def change(self) -> None:
        self.see(self.post_of_creator, at(10, 13), 27_600, 2_760, 90)
        self.see(self.post_of_creator, at(11, 13), 29_000, 2_900, 90)


class ReadAfterTwoMonths(Story):
    """The previous reading is older than what an incremental run reads."""

    HELD: ClassVar = {("creator", 11)}

    def grown(self, **columns: object) -> Row:
        post = self.post(datetime(2026, 1, 1, tzinfo=UTC))
        post.update(columns)
        self.see(post, datetime(2026, 1, 2, tzinfo=UTC), 1_000, 100, 4)
        return post

    def change(self) -> None:
        self.see(self.post_of_creator, at(11), 27_600, 2_760, 90)


class GrownAsBefore(Story):
    """A post without further readings grew as usual, and so did one with readings."""

    HELD: ClassVar[set[tuple[str, int]]] = set()

    def change(self) -> None:
        other = self.grown()
        self.see(other, at(4), 12_000, 1_200, 40)
        self.see(other, at(5), 19_000, 1_900, 60)
        self.see(self.post_of_creator, at(4), 5_000, 500, 17)


class StrangersMovedAlike(Story):
    """Three posts without a creator and one excluded post move like the bought one."""

    HELD: ClassVar = {("creator", 4)}

    def __init__(self) -> None:
        super().__init__()
        stranger = {"account_id": None, "creator_id": None, "tracking_status": "direct_add"}
        others = {"account_id": OTHERS_ACCOUNT, "creator_id": OTHER, "tracking_status": "excluded"}
        self.alike = [self.grown(**each) for each in (stranger, stranger, stranger, others)]

    def change(self) -> None:
        for post in (self.post_of_creator, *self.alike):
            self.buy(post)


class OthersMovedAlike(Story):
    """Three creators, each in a separate project, moved like the bought post."""

    ORGANIZATION: ClassVar = OWNER["organization_id"]
    HELD: ClassVar[set[tuple[str, int]]] = set()

    def __init__(self) -> None:
        super().__init__()
        self.alike = [self.elsewhere(number) for number in range(3)]

    def elsewhere(self, number: int, **columns: object) -> Row:
        owner = {"organization_id": self.ORGANIZATION, "project_id": UUID(int=200 + number)}
        creator = UUID(int=100 + number)
        self.tables["creators"].append({"id": creator, **owner})
        return self.grown(**owner, **columns, account_id=None, creator_id=creator)

    def change(self) -> None:
        for post in (self.post_of_creator, *self.alike):
            self.buy(post)


class OthersOfAnotherOrganizationMovedAlike(OthersMovedAlike):
    """Posts of one organization explain nothing in another."""

    ORGANIZATION: ClassVar = UUID(int=90)
    HELD: ClassVar = {("creator", 4)}

    def decide(self) -> None:
        super().decide()
        [own] = self.tables["organizations"]
        self.tables["organizations"].append({**own, "id": self.ORGANIZATION})


class TrackedByOtherProjects(OthersMovedAlike):
    """Three other projects track the bought post too."""

    HELD: ClassVar = {("creator", 4)}

    def elsewhere(self, number: int, **columns: object) -> Row:
        post = self.post_of_creator["platform_video_id"]
        return super().elsewhere(number, platform_video_id=post, **columns)


class OthersAreNotReadYet(Story):
    """Three creators moved this morning; the posts of six more are read only in the evening."""

    HELD: ClassVar = {("creator", 11)}

    def __init__(self) -> None:
        super().__init__()
        creators = [UUID(int=100 + number) for number in range(9)]
        self.tables["creators"] += [{"id": creator, **OWNER} for creator in creators]
        self.moved = [
            self.post_of_creator,
            *(self.grown(creator_id=creator) for creator in creators[:3]),
        ]
        for post in self.moved:
            self.see(post, at(10), 4_000, 400, 9)
        for creator in creators[3:]:
            post = self.post(datetime(2026, 2, 1, tzinfo=UTC))
            post["creator_id"] = creator
            self.see(post, at(9, 18), 18_000, 1_800, 40)
            self.see(post, at(10, 18), 20_000, 2_000, 44)

    def change(self) -> None:
        for post in self.moved:
            self.see(post, at(11), 44_000, 402, 9)


class PostHandedOverThatDay(Story):
    """The bought views are read two hours after the post went to another creator."""

    HELD: ClassVar = {("other", 4)}

    def decide(self) -> None:
        super().decide()
        self.assign(1, creator=OTHER)

    def change(self) -> None:
        self.see(self.post_of_creator, at(4, 10), 2_400, 240, 8)
        self.see(self.post_of_creator, at(4, 20), 42_400, 242, 8)
        hand_over(self, self.post_of_creator, at(4, 18))


class Goals(Story):
    """Both creators have a weekly goal of views."""

    SCOPE: ClassVar = {"platform_scope": "all", "platform": None, "account_id": None}
    HELD: ClassVar = {("creator", 2)}

    def decide(self) -> None:
        met = {"mode": "all", "n": None, "partial_allowed": True, "partial_multiplier": 1}
        self.rule(
            "goals",
            "weekly",
            amount_cents=900,
            criteria_params={**met, "min_completion_pct": 0},
            proration_mode="full",
            hold_anomalies=True,
        )
        days = {"period": "weekly", "start_date": None, "end_date": None, "valid_from": at(1)}
        target = {"metric": "views", "target_value": 100_000}
        for creator in (CREATOR, OTHER):
            self.assign(2, creator=creator)
            flags = {"is_active": True, "is_deleted": False}
            goal = self.add(
                "goal_states", creator_id=creator, **target, **days, **flags, **self.SCOPE
            )
            goal["goal_id"] = goal["id"]

    def __init__(self) -> None:
        super().__init__()
        self.instagram = UUID(int=55)
        account = {"id": self.instagram, "creator_id": CREATOR, "platform": "instagram"}
        self.tables["accounts"].append({**account, "is_active": True, "removed_at": None, **OWNER})
        self.grown(account_id=self.instagram, platform="instagram")
        self.grown(account_id=OTHERS_ACCOUNT, creator_id=OTHER)

    def change(self) -> None:
        self.buy(self.post_of_creator)


class GoalsOfPostHandedOver(Goals):
    """The post changes its owner the day after."""

    def change(self) -> None:
        super().change()
        hand_over(self, self.post_of_creator, at(5))


class GoalsOfExcludedPost(Goals):
    HELD: ClassVar[set[tuple[str, int]]] = set()

    def change(self) -> None:
        super().change()
        self.post_of_creator["tracking_status"] = "excluded"


class GoalsOfOtherPlatform(Goals):
    """The rule counts all posts, the goals only those on Instagram."""

    SCOPE: ClassVar = {"platform_scope": "platform", "platform": "instagram", "account_id": None}
    HELD: ClassVar[set[tuple[str, int]]] = set()


STORIES: dict[str, type[Story]] = {
    story.__name__: story
    for of in (Story, Gone, Goals, OthersMovedAlike)
    for story in of.__subclasses__()
}
