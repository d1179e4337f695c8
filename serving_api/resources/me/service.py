"""Who the caller is."""

from sqlalchemy.orm import Session

from serving_api.auth.principals import Principal
from serving_api.kit.readme import readme_version
from serving_api.resources.me import repository, schemas


def current_member(caller: Principal, session: Session) -> schemas.CurrentMember:
    """Return the member that the key acts as, with its notes."""
    readme = repository.readme_of(session, caller.organization_id, caller.user_id)
    return schemas.CurrentMember.model_validate(
        {
            "id": caller.user_id,
            "display_name": caller.display_name,
            "organization": {
                "id": caller.organization_id,
                "name": caller.organization_name,
                "role": caller.role,
            },
            "connection": {"via": "api_key", "scopes": sorted(caller.scopes)},
            "readme": readme,
            "readme_version": readme_version(readme),
            "readme_length": len(readme or ""),
            "readme_visibility": "organization",
        }
    )
