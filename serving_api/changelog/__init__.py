"""The public changelog: one Markdown file per day, `YYYY-MM-DD.md`, starting with `# Title`.

Internal links start with `/`; they become absolute when served.
"""
