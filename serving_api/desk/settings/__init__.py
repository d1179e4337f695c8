"""Who belongs to an organization, its keys, and what its program is made of."""
