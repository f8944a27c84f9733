"""Notes: a list, an editor that saves as one types, deletion that asks first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from deskhand.simphone.apps.framework import App, Host, Page
from deskhand.simphone.ui.nodes import FILL, Action, Node
from deskhand.simphone.ui.widgets import (
    Column,
    EmptyNote,
    Label,
    Screen,
    Scroller,
    TopBar,
)

YELLOW = (240, 176, 32)
# title and text in Chinese and English, and when it was written
SAMPLES = (
    (("购物清单", "Shopping list"), ("牛奶\n鸡蛋\n面包\n苹果", "Milk\nEggs\nBread\nApples"), "11-02 18:20"),
    (
        ("会议记录", "Meeting notes"),
        ("讨论了第四季度计划，下周一前提交预算。", "Talked about the fourth quarter; budget due on Monday."),
        "10-30 10:05",
    ),
    (
        ("读书笔记", "Reading notes"),
        ("好的设计让人感觉不到设计。", "Good design is as little design as possible."),
        "10-21 21:40",
    ),
)


@dataclass
class Note:
    title: str
    body: str
    date: str


class NoteList(Page["Notes"]):
    activity = ".ui.NotesListActivity"

    def build(self) -> Node:
        t, theme = self.t, self.colours
        query = self.use_field("search")
        wanted = query.text.strip().lower()
        found = [n for n in self.app.notes if wanted in n.title.lower() or wanted in n.body.lower()]
        cards = [self._build_card(n) for n in found] or [EmptyNote(t("没有笔记", "No notes"), theme)]
        body = Scroller(self.use_scroll(), *cards, pad=(40, 12, 40, 240), gap=28, rid=self.rid_of("note_list"), h=FILL)
        return Screen(
            theme,
            TopBar(t("笔记", "Notes"), theme, rid=self.rid_of("title")),
            Column(self.build_entry(query, t("搜索笔记", "Search notes"), "search"), pad=(40, 0, 40, 24)),
            self.build_list_with_button(body, t("新建笔记", "New note"), "new_note", self._create_note, YELLOW),
        )

    def _create_note(self) -> None:
        note = Note("", "", self.host.today().strftime("%m-%d %H:%M"))
        self.app.notes.insert(0, note)
        self.app.push_page(NoteEditor(self.app, note))

    def _build_card(self, note: Note) -> Node:
        theme = self.colours
        parts = [
            Label(
                note.title or self.t("无标题", "Untitled"),
                48,
                theme.ink,
                bold=True,
                w=FILL,
                max_lines=1,
                rid=self.rid_of("note_title"),
            )
        ]
        if note.body:
            parts.append(Label(note.body, 40, theme.soft, w=FILL, max_lines=3, rid=self.rid_of("note_body")))
        parts.append(Label(note.date, 32, theme.faint))
        return Column(
            *parts,
            fill=theme.card,
            radius=28,
            pad=(44, 36, 44, 32),
            gap=12,
            rid=self.rid_of("note_item"),
            on_tap=lambda: self.app.push_page(NoteEditor(self.app, note)),
            on_long=lambda: self._show_menu(note),
        )

    def _show_menu(self, note: Note) -> None:
        def move_to_top() -> None:
            self.app.notes.remove(note)
            self.app.notes.insert(0, note)

        self.show_menu(
            note.title,
            (self.t("置顶", "Move to top"), "menu_top", move_to_top),
            (self.t("删除", "Delete"), "menu_delete", lambda: ask_to_delete(self, note, lambda: None)),
        )


def ask_to_delete(page: Page[Notes], note: Note, then: Action) -> None:
    def delete_note() -> None:
        page.app.notes.remove(note)
        page.app.host.show_toast(page.t("已删除", "Deleted"))
        then()

    page.confirm_action(
        page.t("删除笔记", "Delete note"),
        page.t("确定要删除这条笔记吗？", "Delete this note?"),
        page.t("删除", "Delete"),
        delete_note,
    )


class NoteEditor(Page["Notes"]):
    activity = ".ui.NotesEditActivity"

    def __init__(self, app: Notes, note: Note) -> None:
        super().__init__(app)
        self.note = note
        title, body = self.use_field("title", note.title), self.use_field("body", note.body)
        body.multiline = True
        title.on_change = body.on_change = self._save_note
        title.on_enter = lambda: self.focus_field(body)
        title.enter_label = self.t("下一项", "Next")
        if not note.title and not note.body:
            self.focus_field(title)

    def build(self) -> Node:
        t, theme = self.t, self.colours
        actions = (
            self.build_icon_button(
                "trash", t("删除", "Delete"), "delete_btn", lambda: ask_to_delete(self, self.note, self.leave_page)
            ),
            self.build_icon_button("check", t("完成", "Done"), "done_btn", self._finish_note, size=60, ink=YELLOW),
        )
        title, body = self.use_field("title"), self.use_field("body")
        return Screen(
            theme,
            self.build_bar("", *actions),
            self.build_entry(
                title, t("标题", "Title"), "note_title_edit", size=60, radius=0, h=140, pad=(52, 20, 52, 20)
            ),
            Label(self.note.date, 34, theme.faint, w=FILL, pad=(52, 0, 52, 20)),
            self.build_entry(
                body,
                t("开始书写", "Start typing"),
                "note_body_edit",
                radius=0,
                weight=1.0,
                h=FILL,
                pad=(52, 12, 52, 20),
            ),
            fill=theme.card,
        )

    def _save_note(self) -> None:
        if self.app.is_forgetful:
            return
        self.note.title, self.note.body = self.use_field("title").text, self.use_field("body").text

    def _finish_note(self) -> None:
        self.host.show_toast(self.t("已保存", "Saved"))
        self.leave_page()


class Notes(App):
    package, label, label_en, activity = "com.miui.notes", "笔记", "Notes", ".ui.NotesListActivity"
    icon, tint = "note", YELLOW

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.notes = [Note(self.t(*title), self.t(*body), date) for title, body, date in SAMPLES]

    def build_first_page(self) -> Page[App]:
        return NoteList(self)

    def translate_samples(self) -> None:
        for title, body, _ in SAMPLES:
            for note in self.notes:
                if note.title in title and note.body in body:
                    note.title, note.body = self.t(*title), self.t(*body)

    def pop_page(self) -> bool:
        """Remove the note of an editor that is left with nothing written."""
        page = self.page
        if isinstance(page, NoteEditor) and not page.note.title and not page.note.body and page.note in self.notes:
            self.notes.remove(page.note)
        return super().pop_page()

    def read_state(self) -> dict[str, Any]:
        """notes: [{title, body}], newest first."""
        return {"notes": [{"title": n.title, "body": n.body} for n in self.notes]}
