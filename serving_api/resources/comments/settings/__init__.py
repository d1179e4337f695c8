"""What an organization says about the collection and reading of comments."""
