"""How a project, or one campaign of it, does: figures and alerts over the counted posts.

`scope` says whose posts and which days, `figures` sums them up, `people` names creators that stand
out, `alerts` finds what needs a look.
"""
