"""A phone's screen, a browser's and a desktop's, as the dialect tests see them."""

from deskhand.core.actions import ActionKind
from deskhand.core.geometry import Rect
from deskhand.core.llm import Picture, StepRequest
from deskhand.core.screen import Element

PHONE: frozenset[ActionKind] = frozenset(
    {"click", "double_click", "long_press", "swipe", "type", "key", "open_app", "back", "home"}
)
DESKTOP: frozenset[ActionKind] = frozenset(
    {"click", "double_click", "right_click", "middle_click", "move", "drag", "scroll", "type", "key", "hotkey",
     "open_app", "switch_window"}
)  # fmt: skip
BROWSER: frozenset[ActionKind] = frozenset(
    {"click", "double_click", "right_click", "move", "drag", "scroll", "type", "key", "hotkey", "open_url", "back"}
)
PICTURE = Picture(b"jpeg", 540, 1200)
SEND = Element(index=7, role="button", bounds=Rect(400, 2000, 600, 2100), name="Send", clickable=True)


def situation(
    capabilities: frozenset[ActionKind] = PHONE,
    frame: tuple[int, int] = (1080, 2400),
    picture: Picture | None = PICTURE,
    elements: tuple[Element, ...] = (SEND,),
) -> StepRequest:
    return StepRequest(
        language="en",
        role="You operate a phone.",
        task="Send a message to Ann.",
        now="Step 1 of 50.",
        frame=frame,
        capabilities=capabilities,
        picture=picture,
        elements=elements,
        app="Messages",
    )
