"""What a rule would have paid: asked before anybody decides, and written nowhere."""
