"""Devices, requests and settings as they are now: for their routes, and for the stream that tells each change."""

from __future__ import annotations

from deskhand.build import Deskhand
from deskhand.core.human import UserRequest
from deskhand.server.schemas import DeviceView, SettingView
from deskhand.server.stream_events import DevicesNews, RequestsNews, SettingsNews
from deskhand.sessions.settings_reload import SettingsWatch
from deskhand.sessions.tasks import Tasks


class LiveStates:
    def __init__(self, hand: Deskhand, tasks: Tasks, watch: SettingsWatch) -> None:
        self._hand = hand
        self._tasks = tasks
        self._watch = watch

    async def list_devices(self) -> list[DeviceView]:
        found = await self._hand.list_devices()
        tasks = {run.state.device: task_id for task_id, run in self._tasks.running.items()}
        return [
            DeviceView(
                device_id=one.id,
                kind=one.kind,
                state=one.state,
                detail=one.detail,
                open=one.open,
                task_id=tasks.get(one.id),
            )
            for one in found
        ]

    def list_requests(self) -> list[UserRequest]:
        """Return everything that the running tasks need the user for, the one that expires first at the top."""
        found = [request for run in self._tasks.running.values() for request in run.state.requests]
        return sorted(found, key=lambda request: request.expires or 0.0)

    def list_settings(self) -> list[SettingView]:
        rows = self._watch.list_settings()
        return [SettingView(key=row.key, value=row.value, origin=row.origin) for row in rows]

    async def read_devices(self) -> DevicesNews:
        return DevicesNews(devices=await self.list_devices())

    async def read_requests(self) -> RequestsNews:
        return RequestsNews(requests=self.list_requests())

    async def read_settings(self) -> SettingsNews:
        return SettingsNews(settings=self.list_settings(), trouble=self._watch.trouble)
