"""Pages for people: rendering, forms and what a browser is told. Knows no noun."""
