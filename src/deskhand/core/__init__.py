"""Data types and Protocols that every package shares. No behaviour."""
