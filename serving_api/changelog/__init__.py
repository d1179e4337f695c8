"""The public changelog: one Markdown file a day, `YYYY-MM-DD.md`, whose first line is `# Title`.

Links to places here start with `/`: what serves them makes them absolute.
"""
