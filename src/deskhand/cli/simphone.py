"""`deskhand simphone`: a simulated phone on its own, for adb and whatever speaks to it."""

from deskhand.cli.output import print_line
from deskhand.core.errors import DeviceSetup, UsageError
from deskhand.simphone.adb.phone_server import SimPhone, serve_phone
from deskhand.simphone.conditions import CONDITIONS
from deskhand.simphone.phone import Phone
from deskhand.simphone.skin import SKINS


async def run_phone(port: int, conditions: list[str], locale: str, skin: str = "stock", *, view: bool = False) -> int:
    if locale not in ("", "zh", "en"):
        raise UsageError(f"There is no locale {locale!r}: use zh or en.")
    if unknown := sorted(set(conditions) - set(CONDITIONS)):
        raise UsageError(f"There is no condition {unknown[0]!r}: use {', '.join(CONDITIONS)}.")
    if skin not in SKINS:
        raise UsageError(f"There is no skin {skin!r}: use {', '.join(SKINS)}.")
    try:
        await serve_phone(Phone(locale=locale, conditions=conditions, skin=skin), port, _announce_phone, view=view)
    except OSError as error:
        raise DeviceSetup(f"The simulated phone can't listen on port {port}: {error.strerror}.") from None
    return 0


def _announce_phone(sim: SimPhone) -> None:
    if sim.view_url:
        print_line(f"See and touch it: {sim.view_url}")
    print_line(f"A simulated phone listens on {sim.address} until Ctrl-C.")
    print_line(f"  adb connect {sim.address} && adb -s {sim.address} shell deskhand-state")
    print_line(f'  deskhand run --device android:{sim.address} "Open Settings, turn on Wi-Fi"')
