"""Documents that anybody can hold against this server's public key."""
