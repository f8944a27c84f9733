"""Sessions of browsers: a random cookie in place of the token. Each expires, and ends at once when it is logged out.

Kept in a file, so that a restart logs nobody out; only keyed hashes are in it, and a new token ends them all.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import secrets
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from deskhand.core.protocols import Clock
from deskhand.private_files import make_private_file

MOST = 100
_EXPIRIES: TypeAdapter[dict[str, float]] = TypeAdapter(dict[str, float])
_log = logging.getLogger("deskhand.server")


class BrowserSessions:
    def __init__(self, file: Path, token: str, hours: float, clock: Clock) -> None:
        self._file = file
        self._key = token.encode()
        self.seconds = int(hours * 3600)
        self._clock = clock
        self._expiries = self._load_file()

    def open_session(self) -> str:
        """Return the cookie of a new session."""
        cookie = secrets.token_urlsafe(32)
        self._expiries[self._hash_cookie(cookie)] = self._clock.wall() + self.seconds
        self._forget_expired()
        self._save_file()
        return cookie

    def is_valid(self, cookie: str) -> bool:
        expires = self._expiries.get(self._hash_cookie(cookie), 0.0)
        # A clock that was set back must not make a session longer than it can be.
        return self._clock.wall() < expires <= self._clock.wall() + self.seconds

    def end_session(self, cookie: str) -> None:
        if self._expiries.pop(self._hash_cookie(cookie), None) is not None:
            self._save_file()

    def _hash_cookie(self, cookie: str) -> str:
        return hmac.new(self._key, cookie.encode(), hashlib.sha256).hexdigest()

    def _forget_expired(self) -> None:
        now = self._clock.wall()
        newest = sorted((one for one in self._expiries.items() if one[1] > now), key=lambda one: one[1])[-MOST:]
        self._expiries = dict(newest)

    def _load_file(self) -> dict[str, float]:
        try:
            return _EXPIRIES.validate_json(self._file.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValidationError) as error:
            _log.warning("The browser sessions in %s can't be read (%s): log in again.", self._file, error)
            return {}

    def _save_file(self) -> None:
        draft = self._file.with_suffix(".tmp")
        try:
            make_private_file(draft).write_text(json.dumps(self._expiries), encoding="utf-8")
            draft.replace(self._file)
        except OSError as error:  # they hold until the server ends
            _log.warning("The browser sessions can't be stored in %s: %s", self._file, error)
