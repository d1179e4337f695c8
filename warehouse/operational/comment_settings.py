"""What an organization's comment settings mean where they say nothing themselves."""

from collections.abc import Sequence


def effective_brand_terms(organization_name: str, brand_terms: Sequence[str]) -> list[str]:
    """Return what counts as the brand in comments: the terms, or the name where there are none.

    An agency's own name is nobody's brand, so terms that are set stand alone.
    """
    return list(brand_terms) or [organization_name]
