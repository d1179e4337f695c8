"""Health of a project or campaign: figures and alerts over counted posts.

`scope` selects posts and days, `figures` sums them up, `people` lists notable creators, `alerts`
finds problems.
"""
