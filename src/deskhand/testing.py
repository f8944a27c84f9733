"""Doubles for tests of programs that use Deskhand: a scripted model over real HTTP and the simulated phone."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deskhand.build.simulated_phones import SimulatedPhones
    from deskhand.models.scripted.http_server import ModelServer
    from deskhand.models.scripted.script import ReceivedRequest, ScriptedCall, ScriptedStep, load_script
    from deskhand.simphone.adb.phone_server import SimPhone
    from deskhand.simphone.phone import Phone

__all__ = [
    "ModelServer", "Phone", "ReceivedRequest", "ScriptedCall", "ScriptedStep", "SimPhone", "SimulatedPhones",
    "load_script",
]  # fmt: skip

_HOMES = {
    "ModelServer": "models.scripted.http_server",
    "Phone": "simphone.phone",
    "ReceivedRequest": "models.scripted.script",
    "ScriptedCall": "models.scripted.script",
    "ScriptedStep": "models.scripted.script",
    "SimPhone": "simphone.adb.phone_server",
    "SimulatedPhones": "build.simulated_phones",
    "load_script": "models.scripted.script",
}


def __getattr__(name: str) -> Any:
    # Lazy: a test with a scripted model need not pay for the phone's pictures.
    if name in _HOMES:
        return getattr(import_module(f"deskhand.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'deskhand.testing' has no attribute {name!r}")
