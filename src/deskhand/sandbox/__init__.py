"""Runs code in a bubblewrap sandbox. It is no device."""
