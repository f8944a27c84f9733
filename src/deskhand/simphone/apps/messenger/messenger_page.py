"""The base of WeChat's pages."""

from __future__ import annotations

from deskhand.simphone.apps.framework import Page
from deskhand.simphone.apps.messenger.app import Messenger


class MessengerPage(Page):
    def __init__(self, app: Messenger) -> None:
        super().__init__(app)
        self.mm = app
