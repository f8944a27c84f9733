"""The address book: list, search, add, change, call log by dialling, delete."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from deskhand.simphone.apps.first_contacts import load_people
from deskhand.simphone.apps.framework import App, Host, Page
from deskhand.simphone.ui.nodes import FILL, Node
from deskhand.simphone.ui.widgets import (
    WHITE,
    Avatar,
    Column,
    EmptyNote,
    Label,
    ListRow,
    RoundButton,
    Screen,
    Scroller,
    SectionTitle,
    TopBar,
)


@dataclass
class Contact:
    name: str
    phone: str
    email: str
    sort: str


class ContactList(Page["Contacts"]):
    activity = ".activities.PeopleActivity"

    def build(self) -> Node:
        t, theme = self.t, self.colours
        query = self.use_field("search")
        query.enter_label = t("搜索", "Search")
        wanted = query.text.strip().lower().replace(" ", "")
        rows: list[Node] = []
        letter = ""
        for contact in self.app.contacts:
            if wanted and wanted not in contact.name.lower() and wanted not in contact.phone.replace(" ", ""):
                continue
            if contact.sort[:1].upper() != letter:
                letter = contact.sort[:1].upper()
                rows.append(SectionTitle(letter, theme))
            rows.append(self._build_row(contact))

        def add_contact() -> None:
            self.app.push_page(ContactEditor(self.app))

        found = rows or [EmptyNote(t("没有联系人", "No contacts"), theme)]
        book = Scroller(self.use_scroll(), *found, rid=self.rid_of("contact_list"), h=FILL, pad=(0, 0, 0, 220))
        return Screen(
            theme,
            TopBar(t("通讯录", "Contacts"), theme, rid=self.rid_of("title")),
            Column(self.build_entry(query, t("搜索联系人", "Search contacts"), "search"), pad=(40, 0, 40, 12)),
            self.build_list_with_button(
                book, t("新建联系人", "Create contact"), "add_contact", add_contact, theme.accent
            ),
        )

    def _build_row(self, contact: Contact) -> Node:
        return ListRow(
            contact.name,
            self.colours,
            lead=Avatar(contact.name, 100, radius=50),
            on_tap=lambda: self.app.push_page(ContactDetails(self.app, contact)),
            rid=self.rid_of("contact_item"),
            title_rid=self.rid_of("name"),
            h=148,
        )


class ContactDetails(Page["Contacts"]):
    activity = ".activities.ContactDetailActivity"

    def __init__(self, app: Contacts, contact: Contact) -> None:
        super().__init__(app)
        self.contact = contact

    def build(self) -> Node:
        t, theme, who = self.t, self.colours, self.contact
        actions = (
            self.build_icon_button(
                "edit", t("编辑", "Edit"), "edit_btn", lambda: self.app.push_page(ContactEditor(self.app, who))
            ),
            self.build_icon_button("trash", t("删除", "Delete"), "delete_btn", self._ask_to_delete),
        )
        head = Column(
            Avatar(who.name, 240, radius=120),
            Label(who.name, 64, theme.ink, bold=True, rid=self.rid_of("detail_name")),
            align="center",
            gap=28,
            pad=(0, 40, 0, 60),
        )
        call = self.build_icon_button(
            "phone", t("拨打电话", "Call"), "call_btn", self._start_call, size=60, ink=theme.green
        )
        rows = [
            ListRow(
                who.phone or "—", theme, sub=t("手机", "Mobile"), tail=[call], title_rid=self.rid_of("detail_phone")
            )
        ]
        if who.email:
            rows.append(ListRow(who.email, theme, sub=t("邮箱", "Email"), title_rid=self.rid_of("detail_email")))
        return Screen(theme, self.build_bar("", *actions), Scroller(self.use_scroll(), head, *rows))

    def _start_call(self) -> None:
        if "no-service" in self.host.conditions:
            self.host.show_toast(self.t("无服务", "No service"))
            return
        self.app.calls.append(self.contact.name)
        self.app.push_page(CallPage(self.app, self.contact))

    def _ask_to_delete(self) -> None:
        def delete_contact() -> None:
            self.app.contacts.remove(self.contact)
            self.host.show_toast(self.t("已删除联系人", "Contact deleted"))
            self.leave_page()

        self.confirm_action(
            self.t("删除联系人", "Delete contact"),
            self.t(f"要删除{self.contact.name}吗？", f"Delete {self.contact.name}?"),
            self.t("删除", "Delete"),
            delete_contact,
        )


class CallPage(Page["Contacts"]):
    activity = ".activities.InCallActivity"
    backdrop = "wallpaper"
    tick = 1.0

    def __init__(self, app: Contacts, contact: Contact) -> None:
        super().__init__(app)
        self.contact = contact
        self.since = app.host.now()

    def build(self) -> Node:
        seconds = int(self.host.now() - self.since)
        hang_up = RoundButton(
            "phone",
            80,
            WHITE,
            (222, 56, 52),
            180,
            on_tap=self.leave_page,
            desc=self.t("挂断", "End call"),
            rid=self.rid_of("end_call"),
        )
        return Column(
            Avatar(self.contact.name, 260, radius=130),
            Label(self.contact.name, 72, WHITE),
            Label(f"{seconds // 60:02d}:{seconds % 60:02d}", 48, WHITE, rid=self.rid_of("call_time")),
            Column(h=0, weight=1.0),
            hang_up,
            h=FILL,
            align="center",
            gap=28,
            pad=(0, 300, 0, 160),
            kind="android.widget.FrameLayout",
        )


class ContactEditor(Page["Contacts"]):
    activity = ".activities.ContactEditorActivity"

    def __init__(self, app: Contacts, contact: Contact | None = None) -> None:
        super().__init__(app)
        self.contact = contact
        old = contact or Contact("", "", "", "")
        name, phone = self.use_field("name", old.name), self.use_field("phone", old.phone)
        email = self.use_field("email", old.email)
        name.on_enter = lambda: self.focus_field(phone)
        phone.on_enter = lambda: self.focus_field(email)
        email.on_enter = self._save_contact
        self.focus_field(name)

    def build(self) -> Node:
        t = self.t
        title = t("编辑联系人", "Edit contact") if self.contact else t("新建联系人", "Create contact")
        save = self.build_button(
            t("保存", "Save"),
            "save_btn",
            self._save_contact,
            w=180,
            h=96,
            size=40,
            pad=(0, 0, 0, 0),
            enabled=bool(self.use_field("name").text.strip()),
        )
        fields = (("name", t("姓名", "Name")), ("phone", t("电话", "Phone")), ("email", t("邮箱", "Email")))
        entries = [self.build_entry(self.use_field(key), hint, f"edit_{key}") for key, hint in fields]
        return self.build_form(self.build_bar(title, save), Column(*entries, gap=28, pad=(44, 32, 44, 0)))

    def _save_contact(self) -> None:
        name = self.use_field("name").text.strip()
        if not name:
            return
        phone, email = self.use_field("phone").text.strip(), self.use_field("email").text.strip()
        if self.app.is_forgetful:
            self.leave_page()
            return
        if self.contact is None:
            self.app.contacts.append(Contact(name, phone, email, name.lower()))
        else:
            self.contact.name, self.contact.phone, self.contact.email = name, phone, email
        self.app.contacts.sort(key=lambda c: c.sort)
        self.host.show_toast(self.t("已保存", "Saved"))
        self.leave_page()


class Contacts(App):
    package, label, label_en, activity = "com.android.contacts", "通讯录", "Contacts", ".activities.PeopleActivity"
    icon, tint = "person", (40, 130, 214)

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.contacts = [Contact(p.name, p.phone, "", p.sort) for p in load_people()]
        self.calls: list[str] = []

    def build_first_page(self) -> Page[App]:
        return ContactList(self)

    def read_state(self) -> dict[str, Any]:
        """contacts: [{name, phone, email}] as sorted; calls: names dialled, oldest first."""
        return {
            "contacts": [{"name": c.name, "phone": c.phone, "email": c.email} for c in self.contacts],
            "calls": list(self.calls),
        }
