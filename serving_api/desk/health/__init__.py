"""The health page."""
