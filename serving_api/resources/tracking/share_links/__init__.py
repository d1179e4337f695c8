"""Share links: a PIN-gated public page for each creator. The page itself is `share_page`."""
