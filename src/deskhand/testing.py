"""Doubles for tests of programs that use Deskhand: a scripted model over real HTTP and the simulated phone."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deskhand.build.simulated_phones import SimulatedPhones
    from deskhand.models.scripted.model_server import ModelServer
    from deskhand.models.scripted.script import ScriptedCall, Seen, Step, load_script
    from deskhand.simphone.adb.phone_server import SimPhone
    from deskhand.simphone.phone import Phone

__all__ = ["ModelServer", "Phone", "ScriptedCall", "Seen", "SimPhone", "SimulatedPhones", "Step", "load_script"]

_HOMES = {
    "ModelServer": "models.scripted.model_server",
    "Phone": "simphone.phone",
    "ScriptedCall": "models.scripted.script",
    "Seen": "models.scripted.script",
    "SimPhone": "simphone.adb.phone_server",
    "SimulatedPhones": "build.simulated_phones",
    "Step": "models.scripted.script",
    "load_script": "models.scripted.script",
}


def __getattr__(name: str) -> Any:
    # Lazy: a test with a scripted model need not pay for the phone's pictures.
    if name in _HOMES:
        return getattr(import_module(f"deskhand.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'deskhand.testing' has no attribute {name!r}")
