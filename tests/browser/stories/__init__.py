"""Browser stories at the desk, ordered by date, each in its own organization.

They cover September 2026 in Berlin, with a pipeline run at eight on the mornings that a story waits
for. Platforms are simulated; users act through the browser alone.
"""
