"""Every error that Deskhand raises, for `except`. The tree is drawn in `core/errors.py`."""

from deskhand.core.errors import *

__all__ = [
    "ActionFailed", "AppFrozen", "AppNotFound", "BadFrame", "BudgetSpent", "DeskhandError", "DeviceBusy", "DeviceError",
    "DeviceFault", "DeviceGone", "DeviceLocked", "DeviceOffline", "DeviceRestarted", "DeviceSetup", "DeviceTimeout",
    "DeviceUnauthorized", "DeviceUnusable", "JournalError", "LookupFailed", "ModelFault", "ModelUnavailable",
    "NoElements", "NoPlan", "NotPossible", "SettingsError", "TaskBusy", "TextNotTyped", "UnknownDevice", "Unparsable",
    "UsageError",
]  # fmt: skip
