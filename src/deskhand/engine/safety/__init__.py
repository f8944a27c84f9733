"""Decides what may be done, what needs approval, and what is blocked."""
