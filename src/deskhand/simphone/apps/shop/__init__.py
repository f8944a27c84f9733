"""The shop app."""
