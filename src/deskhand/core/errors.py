"""The error classes, grouped by cause. Messages are one sentence: what is wrong and what to do.

DeskhandError
├── ModelFault                 the model's: fed back to it, counted as a failed step
│   ├── Unparsable             no action can be read out of its reply
│   ├── NotPossible            an action the device does not have, or a point outside of the frame
│   └── NoPlan                 no way to the goal that was not tried already
├── DeviceError                the device's: exit code 3
│   ├── DeviceFault            passing: told to the worker, which finds another way
│   │   ├── ActionFailed       the device refused or could not carry it out
│   │   ├── DeviceTimeout      it did not answer in time; whether it acted is unknown
│   │   │   └── OutcomeUnknown the connection broke after the action was sent; it is back, look first
│   │   ├── TextNotTyped       what was read back is not what was typed
│   │   ├── AppNotFound        no such app, or it did not come to the front
│   │   ├── BadFrame           a picture that can't be decoded
│   │   ├── NoElements         the element tree can't be read now (a screen that never idles)
│   │   └── DeviceRestarted    it crashed and was started again: look at the screen before going on
│   └── DeviceUnusable         nothing more can be done with it: the task ends
│       ├── UnknownDevice · DeviceUnauthorized · DeviceOffline · DeviceGone
│       ├── AppFrozen          what is in front does not respond; the device itself does
│       └── DeviceLocked · DeviceBusy · DeviceSetup (adb, browser, X server missing)
├── ModelUnavailable           endpoint dead, key wrong, model unknown: exit code 4
├── LookupFailed               a source of materials can't be asked: recorded, the task goes on without
├── BudgetSpent                the cap would be exceeded: exit code 5
└── UsageError                 ours or the user's: exit code 2
    ├── SettingsError          a bad key or value, named with its file
    ├── TaskBusy               another program, or another part of this one, works on the task
    └── JournalError           damaged, from a newer version, or its folder can't be written
"""

import re
from typing import TYPE_CHECKING

from deskhand.core.decisions import Usage

if TYPE_CHECKING:
    from deskhand.core.planning import Material


# A sentence that ends with a message of a library or a device, which has its own full stop; an ellipsis stays.
_TWO_STOPS = re.compile(r"(\.\.\.|…|(?<!\.)[.!?。！？])[.。]$")


class DeskhandError(Exception):
    """Base of all. `exit_code` is the exit code of the command line."""

    exit_code = 1

    def __init__(self, sentence: str = "") -> None:
        super().__init__(_TWO_STOPS.sub(r"\1", sentence))


class ModelFault(DeskhandError):
    """A fault of the model. `usage` is that of the calls behind it: an unusable reply is paid for all the same."""

    usage: Usage = Usage()


class Unparsable(ModelFault):
    pass


class NotPossible(ModelFault):
    pass


class NoPlan(ModelFault):
    pass


class DeviceError(DeskhandError):
    exit_code = 3


class DeviceFault(DeviceError):
    pass


class ActionFailed(DeviceFault):
    pass


class DeviceTimeout(DeviceFault):
    pass


class OutcomeUnknown(DeviceTimeout):
    pass


class TextNotTyped(DeviceFault):
    pass


class AppNotFound(DeviceFault):
    pass


class BadFrame(DeviceFault):
    pass


class NoElements(DeviceFault):
    pass


class DeviceRestarted(DeviceFault):
    pass


class DeviceUnusable(DeviceError):
    pass


class UnknownDevice(DeviceUnusable):
    pass


class DeviceUnauthorized(DeviceUnusable):
    pass


class DeviceOffline(DeviceUnusable):
    pass


class DeviceGone(DeviceUnusable):
    pass


class AppFrozen(DeviceUnusable):
    pass


class DeviceLocked(DeviceUnusable):
    pass


class DeviceBusy(DeviceUnusable):
    pass


class DeviceSetup(DeviceUnusable):
    pass


class ModelUnavailable(DeskhandError):
    exit_code = 4


class LookupFailed(DeskhandError):
    """A source can't be asked. `found` is the material from the other sources."""

    def __init__(self, sentence: str, found: "tuple[Material, ...]" = ()) -> None:
        super().__init__(sentence)
        self.found = found


class BudgetSpent(DeskhandError):
    exit_code = 5


class UsageError(DeskhandError):
    exit_code = 2


class SettingsError(UsageError):
    pass


class TaskBusy(UsageError):
    pass


class JournalError(UsageError):
    pass
