"""Reads the screen and never acts: frames, changes, stillness, stuck detection, and text on the screen."""
