"""Tools of the API that know no noun: envelope, cursors, pages, field types, sessions."""
