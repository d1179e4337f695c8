"""Domain-independent tools of the API: envelope, cursors, pages, field types, sessions."""
