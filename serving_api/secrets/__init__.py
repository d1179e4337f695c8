"""What is kept so that nobody can read it: encryption, passwords."""
