"""A project's inbox: posts that await review before they count."""
