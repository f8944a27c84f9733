"""Measurements, one file a suite. Each returns rows; printing is left to the command line."""
