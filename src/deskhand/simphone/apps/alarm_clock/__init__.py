"""The clock app."""
