"""What a comment's text says: its language, its sentiment, its signals, and whose name it mentions.

Here: text in, answers out, and the step that keeps the answers of each text in the raw tables.
What is looked for is data (`signals/*.toml`, `words/*`). Not here: what is made of the answers
(dbt), and which comments exist (collection).
"""
