"""Deskhand: a goal in plain words, carried out on a browser, a desktop or a phone."""

__version__ = "0.1.0"
