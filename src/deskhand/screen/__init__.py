"""Looks, never acts: frames, what changed, whether the screen is still or stuck, and what is written on it."""
