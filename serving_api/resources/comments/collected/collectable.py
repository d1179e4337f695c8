"""On which platforms comments cannot be collected, because of how they are read here."""

from warehouse.settings import Settings


def platforms_without_comments(settings: Settings) -> frozenset[str]:
    """Return the platforms none of whose providers shows comments: Instagram's official API."""
    is_graph_alone = settings.providers_of("instagram") == ("graph",)
    return frozenset({"instagram"}) if is_graph_alone else frozenset()
