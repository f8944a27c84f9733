"""Which secrets a task may use: only those that the user's own words name."""

from collections.abc import Iterable

from deskhand.core.errors import ActionFailed, UsageError
from deskhand.engine.safety.authority import Authority
from deskhand.engine.secrets.vault import ReadSecret, Vault
from deskhand.settings.placeholders import find_misspelt_placeholder, find_secret_names
from deskhand.task.events import Event, TaskCreated, UserReplied, UserSaid


class Grants:
    """The secrets that one task may type; `read` finds their values by the task's settings."""

    def __init__(self, read: ReadSecret | None = None) -> None:
        self.read = read
        self._names: set[str] = set()

    def add_named_secrets(self, events: Iterable[Event]) -> None:
        self._names.update(name.casefold() for name in find_named_secrets(events))

    def check_names(self, names: Iterable[str]) -> None:
        for name in names:
            if name.casefold() not in self._names:
                raise ActionFailed(f"The secret {name} is not typed: the user has not named it.")


async def learn_goal_secrets(goal: str, vault: Vault, authority: Authority, read: ReadSecret) -> None:
    """Get the values of all secrets that a goal names; raises SettingsError or UsageError before any work."""
    if wrong := find_misspelt_placeholder(goal):
        raise UsageError(f"{wrong} names no secret: write {{{{secret:NAME}}}}, with letters, digits, _ - and dots.")
    for name in find_secret_names(goal):
        if not authority.can_use_secret(name):
            raise UsageError(f"The secret {name} can't be used: the user has not named it.")
    await vault.learn_values(find_secret_names(goal), read)


def find_named_secrets(events: Iterable[Event]) -> tuple[str, ...]:
    """Return the secrets that the user's own words name. No other words allow one to be typed."""
    return find_secret_names("\n".join(_user_words_of(event) for event in events))


def _user_words_of(event: Event) -> str:
    match event:
        case TaskCreated(goal=words) | UserSaid(text=words):
            return words
        case UserReplied(reply=reply):
            return reply.text
        case _:
            return ""
