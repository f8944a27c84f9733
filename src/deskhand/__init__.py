"""Deskhand: a goal in plain words, carried out on a browser, a desktop or a phone."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deskhand.build import Deskhand

__version__ = "0.1.0"
__all__ = ["Deskhand", "__version__"]


def __getattr__(name: str) -> Any:
    # Lazy, so that `import deskhand` and `deskhand --help` cost nothing.
    if name == "Deskhand":
        from deskhand.build import Deskhand

        return Deskhand
    raise AttributeError(f"module 'deskhand' has no attribute {name!r}")
