"""Share links: a PIN-protected page for each creator. `share_page` serves the page."""
