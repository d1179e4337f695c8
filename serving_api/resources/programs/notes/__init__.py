"""Notes documents: the Markdown notes of every kind of entity, read and written in one way."""
