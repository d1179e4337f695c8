"""What another rule would have paid, tried before anybody decides."""
