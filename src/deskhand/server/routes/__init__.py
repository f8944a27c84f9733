"""One file a group of HTTP routes."""
