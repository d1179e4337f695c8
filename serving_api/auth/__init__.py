"""Who calls, and what they may do: keys, principals, scopes and the dependencies made of them."""
