"""Paints the phone's screen."""
