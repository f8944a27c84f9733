"""Ways to find what has no words on the screen."""
