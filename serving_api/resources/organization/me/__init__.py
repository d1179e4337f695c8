"""The member that a key acts as."""
