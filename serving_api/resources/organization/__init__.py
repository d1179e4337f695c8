"""Who belongs to an organization, and may do what."""
