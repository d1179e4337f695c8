"""Pages of a project or a campaign for people outside, opened by a PIN."""
