"""A bank app whose windows are secure: screenshots of it are black, so only the hierarchy can be read."""

from __future__ import annotations

from typing import Any

from deskhand.simphone.apps.framework import App, Host, Page
from deskhand.simphone.ui.nodes import Node
from deskhand.simphone.ui.widgets import WHITE, Column, Label, ListRow, Screen, Scroller, SectionTitle

NAVY = (24, 52, 110)
PASSWORD = "123456"


class LoginPage(Page["Bank"]):
    activity = ".LoginActivity"

    def build(self) -> Node:
        t, theme = self.t, self.colours
        user, password = self.use_field("user"), self.use_field("password")
        password.password = True
        user.on_enter = lambda: self.focus_field(password)
        password.on_enter = self._log_in
        return self.build_form(
            None,
            Column(
                Label(t("示例银行", "Example Bank"), 80, NAVY if not theme.dark else WHITE, bold=True),
                Label(t("演示密码：123456", "Demo password: 123456"), 38, theme.soft),
                gap=20,
                pad=(60, 160, 60, 80),
            ),
            Column(
                self.build_entry(user, t("用户名", "User name"), "username"),
                self.build_entry(password, t("密码", "Password"), "password"),
                self.build_button(t("登录", "Log in"), "login_btn", self._log_in, fill=NAVY),
                gap=36,
                pad=(60, 0, 60, 0),
            ),
        )

    def _log_in(self) -> None:
        user, password = self.use_field("user").text.strip(), self.use_field("password").text
        if user and password == PASSWORD:
            self.app.user = user
            self.app.reset_pages(AccountPage(self.app))
        else:
            self.use_field("password").clear_text()
            self.host.show_toast(self.t("用户名或密码错误", "Wrong user name or password"))


class AccountPage(Page["Bank"]):
    activity = ".AccountActivity"

    def build(self) -> Node:
        t, theme = self.t, self.colours
        balance = f"¥ {self.app.balance:,.2f}"
        head = Column(
            Label(t("可用余额", "Available balance"), 40, WHITE),
            Label(balance, 88, WHITE, rid=self.rid_of("balance")),
            fill=NAVY,
            radius=36,
            pad=(56, 56, 56, 56),
            gap=12,
        )
        history = [
            ListRow(name, theme, sub=f"− ¥ {amount:,.2f}", rid=self.rid_of("transfer_item"))
            for name, amount in reversed(self.app.transfers)
        ]
        log_out = self.build_button(
            t("退出登录", "Log out"), "logout_btn", self._log_out, fill=theme.field, ink=theme.ink
        )
        transfer = self.build_button(
            t("转账", "Transfer"), "transfer_btn", lambda: self.app.push_page(TransferPage(self.app)), fill=NAVY
        )
        return Screen(
            theme,
            Column(
                Label(t("我的账户", "My account"), 56, theme.ink, bold=True, rid=self.rid_of("title")),
                pad=(52, 36, 52, 28),
            ),
            Column(head, transfer, log_out, gap=32, pad=(44, 0, 44, 20)),
            SectionTitle(t("转账记录", "Transfers"), theme),
            Scroller(self.use_scroll(), *history),
        )

    def _log_out(self) -> None:
        self.app.user = ""
        self.app.reset_pages(LoginPage(self.app))


class TransferPage(Page["Bank"]):
    activity = ".TransferActivity"

    def build(self) -> Node:
        t = self.t
        return self.build_form(
            self.build_bar(t("转账", "Transfer")),
            Column(
                self.build_entry(self.use_field("to"), t("收款人", "Payee"), "payee"),
                self.build_entry(self.use_field("amount"), t("金额", "Amount"), "amount"),
                self.build_button(t("下一步", "Next"), "next_btn", self._ask_to_confirm, fill=NAVY),
                gap=36,
                pad=(52, 40, 52, 0),
            ),
        )

    def _ask_to_confirm(self) -> None:
        to, typed = self.use_field("to").text.strip(), self.use_field("amount").text.strip()
        try:
            amount = float(typed)
        except ValueError:
            amount = 0.0
        if not to or not 0 < amount <= self.app.balance:
            self.host.show_toast(self.t("请检查收款人和金额", "Check payee and amount"))
            return
        self.typing = False
        self.confirm_action(
            self.t("确认转账", "Confirm transfer"),
            self.t(f"向{to}转账 ¥ {amount:,.2f}？", f"Transfer ¥ {amount:,.2f} to {to}?"),
            self.t("确认", "Confirm"),
            lambda: self._pay_amount(to, amount),
        )

    def _pay_amount(self, to: str, amount: float) -> None:
        self.app.balance -= amount
        self.app.transfers.append((to, amount))
        self.host.show_toast(self.t("转账成功", "Transfer complete"))
        self.leave_page()


class Bank(App):
    package, label, label_en, activity = "com.example.bank", "示例银行", "Example Bank", ".LoginActivity"
    icon, tint, secure = "bank", NAVY, True

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.user = ""
        self.balance = 12580.50
        self.transfers: list[tuple[str, float]] = []

    def build_first_page(self) -> Page[App]:
        return AccountPage(self) if self.user else LoginPage(self)

    def close_pages(self) -> None:
        super().close_pages()
        self.user = ""

    def read_state(self) -> dict[str, Any]:
        """user: who is logged in; balance; transfers: [{to, amount}] (irreversible)."""
        transfers = [{"to": to, "amount": amount} for to, amount in self.transfers]
        return {"user": self.user, "balance": round(self.balance, 2), "transfers": transfers}
