"""What platform admins do: they look after all organizations and users."""
