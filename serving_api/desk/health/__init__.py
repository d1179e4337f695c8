"""Whether numbers come in, and what to do where they do not."""
