"""Data and joints that every room shares. No behaviour."""
