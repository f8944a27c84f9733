"""Maps things to their usual app (alarm: clock; phone number: contacts), for a goal that names no app."""

import re
from dataclasses import replace

from deskhand.core.actions import OpenApp
from deskhand.language import has_chinese
from deskhand.roles.offline.language.lexicon import load_lexicon
from deskhand.roles.offline.outcome import Act, make_act
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies.obstacles import dismiss_dialog
from deskhand.screen.grounding.vocabulary import is_same_word, synonyms_of


def open_home(scene: Scene, thing: str, *, also_from_an_app: bool = False) -> Act | None:
    """Open the app that such a thing is usually kept in, once, while nothing but the home screen is there."""
    names = find_home_app(thing)
    if not names or not scene.can_do("open_app") or scene.memory.home:
        return None
    if not scene.on_home_screen and not also_from_an_app:
        return None
    if away := dismiss_dialog(scene):
        return away
    scene.memory = replace(scene.memory, home=True)
    name = scene.say(names[1], names[0])
    return make_act(scene.say(f"打开“{name}”", f"Opening {name}"), OpenApp(name=name))


def find_home_app(thing: str) -> tuple[str, str] | None:
    """The app's names, English and Chinese, by what the thing is called or what kind of thing it is said to be."""
    homes: dict[str, list[str]] = load_lexicon().extra["homes"]
    for kind, (english, chinese) in homes.items():
        if is_same_word(kind, thing) or is_kind_of(kind, thing):
            return english, chinese
    return None


def is_kind_of(kind: str, thing: str) -> bool:
    """True if it is called one of that kind beside a name of its own; 手机号 is no phone called 号."""
    return not synonyms_of(thing) and any(_is_said(word, thing) for word in (kind, *synonyms_of(kind)))


def _is_said(word: str, thing: str) -> bool:
    """`王芳的手机号`, `Grace's number`, `the contact Bob`: a kind of thing stands first or last."""
    if has_chinese(word):
        return thing.startswith(word) or thing.endswith(word)
    return bool(re.search(rf"^(?:the |my )?{re.escape(word)}\b|\b{re.escape(word)}$", thing, re.IGNORECASE))
