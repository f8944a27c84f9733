"""Reads text in pictures, for screens without an element tree."""
