"""`tracker doctor`: looks at an installation and says what is wrong and how to mend it.

Never starts, stops or changes anything unless asked to mend (`mending`). A check is one function in
`checks`, on its own: what it needs it opens itself, and what breaks in it is a finding of its own.
"""
