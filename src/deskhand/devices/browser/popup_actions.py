"""Turns ordinary actions into answers to an open pop-up, as a user at the browser's window would give them."""

from deskhand.core.actions import Action, Click, DoubleClick, Key, Scroll, SwitchWindow, Type
from deskhand.core.errors import ActionFailed
from deskhand.devices.browser.keyboard import to_key_name
from deskhand.devices.browser.popups import NO, YES, Popup
from deskhand.devices.browser.tab import Tab

_KEY_ANSWERS = {"Enter": YES, "Escape": NO}
# How far each key, and each direction of a scroll, moves in an opened list.
_STEPS = {
    "ArrowDown": 1, "ArrowUp": -1, "PageDown": 8, "PageUp": -8, "End": 100_000, "Home": -100_000, "down": 5, "up": -5,
}  # fmt: skip


async def act_on_popup(tab: Tab, popup: Popup, action: Action, size: tuple[int, int]) -> str | None:
    """Return a few words about the effect; None if the action is for the page. A modal pop-up allows only answers."""
    match action:
        case Click() | DoubleClick():
            for part in reversed(popup.lay_out(size, tab.scale)):
                if part.bounds.contains_point(action.x, action.y):
                    return await close_popup(tab, popup, part.answer) if part.answer else ""
        case Type():
            said = await popup.write_text(action.text, action.clear_first)
            if not popup.modal:
                tab.drop_popup(popup)
                return said
            return await close_popup(tab, popup, YES) if action.press_enter else said
        case Key() if (answer := _KEY_ANSWERS.get(to_key_name(action.key))) is not None:
            return await close_popup(tab, popup, answer)
        case Key() | Scroll() if not popup.modal:
            steps = _STEPS.get(action.direction if isinstance(action, Scroll) else to_key_name(action.key), 0)
            popup.move_choice(steps)
            tab.signal_change()
            return "" if steps else None
        case SwitchWindow():
            return None
        case _:
            pass
    if popup.modal:
        message = popup.lay_out(size, tab.scale)[0].text
        raise ActionFailed(f'A dialog is open ("{message}"): answer it first.')
    await close_popup(tab, popup, NO)
    return None


async def close_popup(tab: Tab, popup: Popup, answer: str) -> str:
    """Answer a pop-up, which closes it; return a few words about the effect."""
    said = await popup.answer(answer)
    tab.drop_popup(popup)
    if popup.modal:
        tab.cdp.interruption.resume_calls()
        await tab.wait_for_navigation()
    return said
