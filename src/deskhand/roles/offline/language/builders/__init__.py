"""Builders that turn matched sentences of one kind into instructions."""
