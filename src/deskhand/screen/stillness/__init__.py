"""Detects that a screen is still, that parts of it move by themselves, and that actions no longer change anything."""
