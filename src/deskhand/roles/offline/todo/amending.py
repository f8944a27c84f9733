"""What a person's words in the middle of the work change, read by grammar in English and Chinese.

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
from deskhand.roles.offline.language.grammar import parse
from deskhand.roles.offline.language.instructions import Instruction, NotUnderstood
from deskhand.roles.offline.manager import seen_after
from deskhand.roles.offline.technician import codes_in, parted
from deskhand.roles.offline.todo.item_words import OPEN, Item, by_place, meant, number_of
from deskhand.roles.offline.todo.phrases import bare, begins, exchanges, halves, is_all, named, without_lead
from deskhand.roles.offline.todo.retelling import retold, stand_alone
from deskhand.roles.task_types import find_task_type

MAX_WORDS = 1000
MAX_CUTS = 8


@dataclass(frozen=True, slots=True)
class Change:
    """Edits of the list, or words for the worker; `told` says it to the person."""

    edits: tuple[TodoEdit, ...]
    told: str
    message: str = ""

    def __add__(self, other: Change) -> Change:
        gap = "" if self.told.endswith("。") else " "
        both = "\n".join(part for part in (self.message, other.message) if part)
        edits = (*self.edits, *(edit for edit in other.edits if _item(edit) not in {*map(_item, self.edits)} - {""}))
        return Change(edits, f"{self.told}{gap}{other.told}", both)


def _item(edit: TodoEdit) -> str:
    """The item that is changed or removed: once is enough."""
    return "" if isinstance(edit, AddTodo) else edit.id


def amended(request: AmendRequest) -> Amendment:
    zh = is_chinese(request.said)
    said = request.said.strip()
    change = _Reader(request, zh).read(said) if len(said) <= MAX_WORDS else None
    if change is not None:
        return Amendment(edits=change.edits, message=change.message, understood=change.told)
    if request.current is None:
        unclear = "This was not understood. Try: also …, skip the second one, change the third to …, stop after this."
        return Amendment(
            understood="没有听懂。可以说：还要…，跳过第二个，把第三个改成…，做完这个就停。" if zh else unclear
        )
    passed_on = "The to-do list stays as it is; the worker is told what you said."
    return Amendment(message=said, understood="待办列表没有改变；这句话转告给正在工作的执行者。" if zh else passed_on)


class _Reader:
    """Reads one person's words against one list."""

    def __init__(self, request: AmendRequest, zh: bool) -> None:
        self._request = request
        self._zh = zh
        self._cuts = MAX_CUTS

    def read(self, text: str) -> Change | None:
        """What the words change; None when a part of them is not understood."""
        text = bare(text)
        if not text:
            return None
        return self._order(text) or self._in_parts(text) or self._addition(text)

    def _order(self, text: str) -> Change | None:
        return self._ending(text) or self._sooner(text) or self._exchange(text) or self._removal(text)

    def _in_parts(self, text: str) -> Change | None:
        """An order about the list, and something else behind or before it."""
        for left, right in halves(text):
            self._cuts -= 1
            if self._cuts < 0:
                return None
            before, after = self._order(bare(left)), self._order(bare(right))
            if before is None and after is None:
                continue
            first = before or self._addition(bare(left))
            rest = (after or self.read(right)) if first else None
            if first and rest:
                return first + rest
        return None

    # --- what is no longer wanted ---

    def _ending(self, text: str) -> Change | None:
        numbered = list(enumerate(self._request.todo, 1))
        if is_all("stop", text):
            return self._removed([(n, part) for n, part in numbered if part.status in OPEN], "停止：", "Stopping. ")
        if is_all("enough", text):
            ready = [(n, part) for n, part in numbered if part.status is SubtaskStatus.READY]
            return self._removed(ready, "做完这个就停。", "Stopping after this one. ")
        return None

    def _removal(self, text: str) -> Change | None:
        for words in named("skip", text):
            items = meant(words, self._request)
            if items and not (begins("deeds", text) and self._is_deed(text, words, items)):
                closed = [item for item in items if item[1].status not in OPEN]
                return self._too_late(*closed[0]) if closed else self._removed(list(items))
            number = number_of(words)
            if number and number > len(self._request.todo):
                return self._too_far(number)
        return None

    def _is_deed(self, text: str, words: str, items: tuple[Item, ...]) -> bool:
        """`Delete the note`, while it is being written, is something to be done; before, it need not be begun."""
        begun = any(part.status is SubtaskStatus.PENDING for _, part in items)
        return begun and not by_place(words, self._request) and not _unclear(parse(text))

    def _removed(self, items: list[Item], zh: str = "", en: str = "") -> Change:
        edits = tuple(RemoveTodo(id=part.id) for _, part in items)
        if not items:
            return Change((), f"{zh}没有别的待办了。" if self._zh else f"{en}There is nothing else on the list.")
        if self._zh:
            return Change(edits, f"{zh}去掉了" + "、".join(f"第{n}项“{part.title}”" for n, part in items) + "。")
        return Change(edits, f"{en}Removed " + ", ".join(f"number {n} (“{part.title}”)" for n, part in items) + ".")

    def _too_late(self, number: int, part: Subtask) -> Change:
        done = part.status is SubtaskStatus.FULFILLED
        if self._zh:
            return Change((), f"第{number}项“{part.title}”{'已经完成' if done else '已经取消'}。")
        return Change((), f"Number {number} (“{part.title}”) is {'done' if done else 'off the list'} already.")

    def _too_far(self, number: int) -> Change:
        count = len(self._request.todo)
        if self._zh:
            return Change((), f"没有第{number}项；列表里有{count}项。")
        return Change((), f"There is no number {number}; the list has {count}.")

    # --- what is wanted otherwise ---

    def _sooner(self, text: str) -> Change | None:
        """The same item, behind the one under way."""
        current = self._request.current
        for words in named("sooner", text):
            items = meant(words, self._request)
            if current and len(items) == 1 and items[0][1].status is SubtaskStatus.READY:
                number, part = items[0]
                told = part.model_dump(include={"title", "done_when", "role", "task_type"})
                moved = (RemoveTodo(id=part.id), AddTodo(**told, after=current.id))
                said = f"接下来先做第{number}项" if self._zh else f"To be done next: number {number} "
                return Change(moved, f"{said}“{part.title}”。" if self._zh else f"{said}(“{part.title}”).")
        return None

    def _exchange(self, text: str) -> Change | None:
        for old, new in exchanges(text):
            items = meant(old, self._request)
            if len(items) != 1:
                continue
            number, part = items[0]
            if part.status not in OPEN:
                return self._too_late(number, part)
            if title := self._title(part, new):
                return self._changed(number, part, title)
        return self._instead(text)

    def _instead(self, text: str) -> Change | None:
        """`Open Notes instead`: of what is under way."""
        here = by_place("this", self._request)
        new = next(named("instead", text), "")
        title = self._title(here[1], new) if here and new else ""
        return self._changed(*here, title) if here and title and here[1].status in OPEN else None

    def _title(self, part: Subtask, new: str) -> str:
        """The item in its new words: a whole instruction, or the old one with another time, number or text."""
        new = bare(new)
        if codes_in(new):
            return new
        return _joined(parse(new), self._zh) if not _unclear(parse(new)) else retold(part.title, new)

    def _changed(self, number: int, part: Subtask, title: str) -> Change:
        role = self._role(title)
        edit = ChangeTodo(
            id=part.id,
            title=title,
            done_when=seen_after(parse(title), self._zh) if role == "operator" else "",
            role=role if role != part.role else None,
        )
        if self._zh:
            return Change((edit,), f"第{number}项“{part.title}”改成了“{title}”。")
        return Change((edit,), f"Changed number {number} from “{part.title}” to “{title}”.")

    def _role(self, title: str) -> WorkerRole:
        return "technician" if codes_in(title) and "technician" in self._request.roles else "operator"

    # --- what is wanted besides ---

    def _addition(self, text: str) -> Change | None:
        lead = without_lead(text)
        parts = parted(lead.text)
        steps = [step for part, is_code in parts if not is_code for step in parse(part)]
        if _is_hint(steps) or (_unclear(steps) and (steps or not codes_in(lead.text))):
            return None
        if steps and not lead.more and self._request.current and all(is_move(step) for step in steps):
            told = "转告给执行者，马上做：" if self._zh else "The worker is told to do it now: "
            return Change((), f"{told}“{lead.text}”{'。' if self._zh else '.'}", message=lead.text)
        edits = tuple(self._added(part, is_code, lead.soon) for part, is_code in parts)
        return Change(edits, self._told_added([edit.title for edit in edits], lead.soon))

    def _told_added(self, titles: list[str], soon: bool) -> str:
        if self._zh:
            return f"{'接下来先做' if soon else '加到了最后'}：{'、'.join(f'“{title}”' for title in titles)}。"
        return f"{'To be done next' if soon else 'Added at the end'}: {', '.join(f'“{title}”' for title in titles)}."

    def _added(self, text: str, is_code: bool, soon: bool) -> AddTodo:
        current = self._request.current
        after = current.id if soon and current else ""
        if is_code:
            return AddTodo(title=text, role=self._role(text), task_type=find_task_type(text), after=after)
        before = current.title if current else next((part.title for part in reversed(self._request.todo)), "")
        title = stand_alone(_joined(parse(text), self._zh), before)
        done_when = seen_after(parse(title), self._zh)
        return AddTodo(title=title, done_when=done_when, task_type=find_task_type(title), after=after)


def _is_hint(steps: Sequence[Instruction]) -> bool:
    """`Use the other account` says how, not what."""
    return len(steps) == 1 and isinstance(steps[0], say.Open) and begins("using", steps[0].source)


def _unclear(steps: Sequence[Instruction]) -> bool:
    return not steps or any(isinstance(step, NotUnderstood) for step in steps)


def _joined(steps: tuple[Instruction, ...], zh: bool) -> str:
    return ("，" if zh else ", ").join(step.source for step in steps)
