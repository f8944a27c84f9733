"""Reads what the user says while a task runs into edits of the to-do list, by grammar, in English and Chinese.

Skipping, changing and ending have patterns of their own; what else can be carried out is added; the rest is passed on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from deskhand.core.human import AddTodo, Amendment, AmendRequest, ChangeTodo, RemoveTodo, TodoEdit
from deskhand.core.statuses import SubtaskStatus
from deskhand.core.subtask import Subtask, WorkerRole
from deskhand.language import is_chinese
from deskhand.roles.offline.detour import is_move
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.grammar import parse_goal
from deskhand.roles.offline.language.instructions import Instruction, NotUnderstood
from deskhand.roles.offline.manager import describe_end
from deskhand.roles.offline.technician import read_codes, split_code
from deskhand.roles.offline.todo.item_words import OPEN, TodoItem, find_by_place, find_items, number_of
from deskhand.roles.offline.todo.phrases import (
    begins_with,
    is_phrase,
    list_exchanges,
    list_halves,
    list_named,
    split_lead,
    strip_phrases,
)
from deskhand.roles.offline.todo.retelling import resolve_pronoun, retell_title
from deskhand.roles.task_types import find_task_type

MAX_WORDS = 1000
MAX_CUTS = 8


@dataclass(frozen=True, slots=True)
class TodoChange:
    """Edits of the list, or words for the worker; `told` says so to the user."""

    edits: tuple[TodoEdit, ...]
    told: str
    message: str = ""

    def __add__(self, other: TodoChange) -> TodoChange:
        gap = "" if self.told.endswith("。") else " "
        both = "\n".join(part for part in (self.message, other.message) if part)
        # an item is changed or removed once
        touched = {edit.id for edit in self.edits if not isinstance(edit, AddTodo)}
        more = [edit for edit in other.edits if isinstance(edit, AddTodo) or edit.id not in touched]
        return TodoChange((*self.edits, *more), f"{self.told}{gap}{other.told}", both)


def amend_todo(request: AmendRequest) -> Amendment:
    zh = is_chinese(request.said)
    said = request.said.strip()
    change = AmendmentReader(request, zh).read_change(said) if len(said) <= MAX_WORDS else None
    if change is not None:
        return Amendment(edits=change.edits, message=change.message, understood=change.told)
    if request.current is None:
        unclear = "This was not understood. Try: also …, skip the second one, change the third to …, stop after this."
        unclear_zh = "没有听懂。可以说：还要…，跳过第二个，把第三个改成…，做完这个就停。"
        return Amendment(understood=unclear_zh if zh else unclear)
    passed_on = "The to-do list stays as it is; the worker is told what you said."
    return Amendment(message=said, understood="待办列表没有改变；这句话转告给正在工作的执行者。" if zh else passed_on)


class AmendmentReader:
    """Reads one message of the user against one list."""

    def __init__(self, request: AmendRequest, zh: bool) -> None:
        self._request = request
        self._zh = zh
        self._cuts = MAX_CUTS

    def read_change(self, text: str) -> TodoChange | None:
        """Return what the words change; None if a part of them is not understood."""
        text = strip_phrases(text)
        if not text:
            return None
        return self._read_order(text) or self._read_parts(text) or self._read_addition(text)

    def _read_order(self, text: str) -> TodoChange | None:
        asked = self._read_ending(text) or self._read_sooner(text)
        return asked or self._read_exchange(text) or self._read_removal(text)

    def _read_parts(self, text: str) -> TodoChange | None:
        """An order about the list, and something else behind or before it."""
        for left, right in list_halves(text):
            self._cuts -= 1
            if self._cuts < 0:
                return None
            before, after = self._read_order(strip_phrases(left)), self._read_order(strip_phrases(right))
            if before is None and after is None:
                continue
            first = before or self._read_addition(strip_phrases(left))
            rest = (after or self.read_change(right)) if first else None
            if first and rest:
                return first + rest
        return None

    # --- what is no longer wanted ---

    def _read_ending(self, text: str) -> TodoChange | None:
        numbered = list(enumerate(self._request.todo, 1))
        if is_phrase("stop", text):
            open_ones = [(n, part) for n, part in numbered if part.status in OPEN]
            return self._remove_items(open_ones, "停止：", "Stopping. ")
        if is_phrase("enough", text):
            ready = [(n, part) for n, part in numbered if part.status is SubtaskStatus.READY]
            return self._remove_items(ready, "做完这个就停。", "Stopping after this one. ")
        return None

    def _read_removal(self, text: str) -> TodoChange | None:
        for words in list_named("skip", text):
            items = find_items(words, self._request)
            if items and not (begins_with("deeds", text) and self._is_deed(text, words, items)):
                closed = [item for item in items if item[1].status not in OPEN]
                return self._tell_too_late(*closed[0]) if closed else self._remove_items(list(items))
            number = number_of(words)
            if number and number > len(self._request.todo):
                return self._tell_too_far(number)
        return None

    def _is_deed(self, text: str, words: str, items: tuple[TodoItem, ...]) -> bool:
        """`Delete the note`, while it is being written, is something to be done; before, it need not be begun."""
        begun = any(part.status is SubtaskStatus.PENDING for _, part in items)
        return (
            begun and not find_by_place(words, self._request) and not _is_unclear(parse_goal(text, open_pronouns=True))
        )

    def _remove_items(self, items: list[TodoItem], zh: str = "", en: str = "") -> TodoChange:
        edits = tuple(RemoveTodo(id=part.id) for _, part in items)
        if not items:
            return TodoChange((), f"{zh}没有别的待办了。" if self._zh else f"{en}There is nothing else on the list.")
        if self._zh:
            return TodoChange(edits, f"{zh}去掉了" + "、".join(f"第{n}项“{part.title}”" for n, part in items) + "。")
        return TodoChange(edits, f"{en}Removed " + ", ".join(f"number {n} (“{part.title}”)" for n, part in items) + ".")

    def _tell_too_late(self, number: int, part: Subtask) -> TodoChange:
        done = part.status is SubtaskStatus.FULFILLED
        if self._zh:
            return TodoChange((), f"第{number}项“{part.title}”{'已经完成' if done else '已经取消'}。")
        return TodoChange((), f"Number {number} (“{part.title}”) is {'done' if done else 'off the list'} already.")

    def _tell_too_far(self, number: int) -> TodoChange:
        count = len(self._request.todo)
        if self._zh:
            return TodoChange((), f"没有第{number}项；列表里有{count}项。")
        return TodoChange((), f"There is no number {number}: the list has {count} items.")

    # --- what is wanted otherwise ---

    def _read_sooner(self, text: str) -> TodoChange | None:
        """The same item, behind the one under way."""
        current = self._request.current
        for words in list_named("sooner", text):
            items = find_items(words, self._request)
            if current and len(items) == 1 and items[0][1].status is SubtaskStatus.READY:
                number, part = items[0]
                told = part.model_dump(include={"title", "done_when", "role", "task_type"})
                moved = (RemoveTodo(id=part.id), AddTodo(**told, after=current.id))
                said = f"接下来先做第{number}项" if self._zh else f"To be done next: number {number} "
                return TodoChange(moved, f"{said}“{part.title}”。" if self._zh else f"{said}(“{part.title}”).")
        return None

    def _read_exchange(self, text: str) -> TodoChange | None:
        for old, new in list_exchanges(text):
            items = find_items(old, self._request)
            if len(items) != 1:
                continue
            number, part = items[0]
            if part.status not in OPEN:
                return self._tell_too_late(number, part)
            if title := self._make_title(part, new):
                return self._change_item(number, part, title)
        return self._read_instead(text)

    def _read_instead(self, text: str) -> TodoChange | None:
        """`Open Notes instead`: of what is under way."""
        here = find_by_place("this", self._request)
        new = next(list_named("instead", text), "")
        title = self._make_title(here[1], new) if here and new else ""
        return self._change_item(*here, title) if here and title and here[1].status in OPEN else None

    def _make_title(self, part: Subtask, new: str) -> str:
        """The item in its new words: a whole instruction, or the old one with another time, number or text."""
        new = strip_phrases(new)
        if read_codes(new):
            return new
        steps = parse_goal(new, open_pronouns=True)
        return retell_title(part.title, new) if _is_unclear(steps) else _join_sources(steps, self._zh)

    def _change_item(self, number: int, part: Subtask, title: str) -> TodoChange:
        role = self._role_of(title)
        done_when = describe_end(parse_goal(title), self._zh) if role == "operator" else ""
        edit = ChangeTodo(id=part.id, title=title, done_when=done_when, role=role if role != part.role else None)
        if self._zh:
            return TodoChange((edit,), f"第{number}项“{part.title}”改成了“{title}”。")
        return TodoChange((edit,), f"Changed number {number} from “{part.title}” to “{title}”.")

    def _role_of(self, title: str) -> WorkerRole:
        return "technician" if read_codes(title) and "technician" in self._request.roles else "operator"

    # --- what is wanted besides ---

    def _read_addition(self, text: str) -> TodoChange | None:
        lead = split_lead(text)
        parts = split_code(lead.text)
        steps = [step for part, is_code in parts if not is_code for step in parse_goal(part, open_pronouns=True)]
        if _is_hint(steps) or (_is_unclear(steps) and (steps or not read_codes(lead.text))):
            return None
        if steps and not lead.more and self._request.current and all(is_move(step) for step in steps):
            told = "转告给执行者，马上做：" if self._zh else "The worker is told to do it now: "
            return TodoChange((), f"{told}“{lead.text}”{'。' if self._zh else '.'}", message=lead.text)
        edits = tuple(self._make_item(part, is_code, lead.soon) for part, is_code in parts)
        return TodoChange(edits, self._tell_added([edit.title for edit in edits], lead.soon))

    def _tell_added(self, titles: list[str], soon: bool) -> str:
        if self._zh:
            return f"{'接下来先做' if soon else '加到了最后'}：{'、'.join(f'“{title}”' for title in titles)}。"
        return f"{'To be done next' if soon else 'Added at the end'}: {', '.join(f'“{title}”' for title in titles)}."

    def _make_item(self, text: str, is_code: bool, soon: bool) -> AddTodo:
        current = self._request.current
        after = current.id if soon and current else ""
        if is_code:
            return AddTodo(title=text, role=self._role_of(text), task_type=find_task_type(text), after=after)
        before = current.title if current else next((part.title for part in reversed(self._request.todo)), "")
        title = resolve_pronoun(_join_sources(parse_goal(text, open_pronouns=True), self._zh), before)
        done_when = describe_end(parse_goal(title), self._zh)
        return AddTodo(title=title, done_when=done_when, task_type=find_task_type(title), after=after)


def _is_hint(steps: Sequence[Instruction]) -> bool:
    """`Use the other account` says how, not what."""
    return len(steps) == 1 and isinstance(steps[0], say.Open) and begins_with("using", steps[0].source)


def _is_unclear(steps: Sequence[Instruction]) -> bool:
    return not steps or any(isinstance(step, NotUnderstood) for step in steps)


def _join_sources(steps: tuple[Instruction, ...], zh: bool) -> str:
    return ("，" if zh else ", ").join(step.source for step in steps)
