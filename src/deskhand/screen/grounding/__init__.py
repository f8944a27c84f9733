"""Finds the element that a description means among the elements on a screen."""
