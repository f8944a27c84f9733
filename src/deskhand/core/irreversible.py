"""What a task did that can't be undone, and how it is known again when it is about to be done once more. Data only."""

from __future__ import annotations

from deskhand.core.actions import FrozenModel


def fold_text(text: str) -> str:
    """Return a text as it is compared: letter case and white space do not count."""
    return " ".join(text.casefold().split())


class IrreversibleAct(FrozenModel):
    """`what` is for users. `deed`, `label`, `app`: what was pressed, and where. `values`: what stood in the fields.

    `names` are the words of the goal at the top of the screen: mostly whom or what it was about. `shown`: how often
    each value stood on the screen already, outside of fields.
    """

    what: str
    deed: str = ""
    label: str = ""
    app: str = ""
    values: tuple[str, ...] = ()
    shown: tuple[int, ...] = ()
    names: tuple[str, ...] = ()

    def is_same_as(self, other: IrreversibleAct) -> bool:
        """True unless they are known to differ: one question too many is better than a message too many."""
        deed = self.deed == other.deed if self.deed and other.deed else self.label == other.label
        return (
            deed and self.app == other.app and _may_agree(self.values, other.values) and self._fits_names(other.names)
        )

    def _fits_names(self, names: tuple[str, ...]) -> bool:
        return _may_agree(self.names, names)

    def has_sent(self, text: str, to: str = "") -> bool:
        """True if this may have sent the text, if a name is given to that one."""
        return fold_text(text) in self.values and (not to or self._fits_names((fold_text(to),)))

    def has_pressed(self, label: str) -> bool:
        return bool(self.label) and self.label == fold_text(label)


def _may_agree(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return not one or not other or not set(one).isdisjoint(other)


class DoneAct(FrozenModel):
    """An act in the log. `certain` is False while nobody knows whether the device carried it out.

    `attempt` is that of the worker, see `TaskState.attempt`; `screen` names what was on the screen before.
    """

    act: IrreversibleAct
    step: int
    number: int
    subtask: str
    attempt: int
    screen: str = ""
    certain: bool = False
