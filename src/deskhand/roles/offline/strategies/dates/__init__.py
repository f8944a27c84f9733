"""Dates that are entered in parts."""
