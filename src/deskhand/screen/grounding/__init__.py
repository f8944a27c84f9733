"""Finds what a description means among the elements on a screen."""
