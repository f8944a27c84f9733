"""Chromium, driven over CDP."""
