"""Roles that ask models can't reach any but the scripted one, either."""

from tests.models.conftest import only_loopback

__all__ = ["only_loopback"]
