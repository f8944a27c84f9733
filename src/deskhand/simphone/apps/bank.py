"""A bank app whose windows are secure: screenshots of it are black, so only the hierarchy can be read."""

from __future__ import annotations

from typing import Any

from deskhand.simphone.apps.framework import App, Host, Page
from deskhand.simphone.ui.nodes import Node
from deskhand.simphone.ui.widgets import WHITE, button, column, entry, label, list_row, screen, scroller, section

NAVY = (24, 52, 110)
PASSWORD = "123456"


class BankPage(Page):
    def __init__(self, app: Bank) -> None:
        super().__init__(app)
        self.bank = app


class LoginPage(BankPage):
    activity = ".LoginActivity"

    def build(self) -> Node:
        t, theme = self.t, self.colours
        user, password = self.use_field("user"), self.use_field("password")
        password.password = True
        user.on_enter = lambda: self.focus_field(password)
        password.on_enter = self._log_in
        return self.build_form(
            None,
            column(
                label(t("示例银行", "Example Bank"), 80, NAVY if not theme.dark else WHITE, bold=True),
                label(t("演示密码：123456", "Demo password: 123456"), 38, theme.soft),
                gap=20,
                pad=(60, 160, 60, 80),
            ),
            column(
                entry(user, t("用户名", "User name"), theme, rid=self.bank.rid_of("username"), fill=theme.card),
                entry(password, t("密码", "Password"), theme, rid=self.bank.rid_of("password"), fill=theme.card),
                button(t("登录", "Log in"), self._log_in, theme, fill=NAVY, rid=self.bank.rid_of("login_btn")),
                gap=36,
                pad=(60, 0, 60, 0),
            ),
        )

    def _log_in(self) -> None:
        user, password = self.use_field("user").text.strip(), self.use_field("password").text
        if user and password == PASSWORD:
            self.bank.user = user
            self.bank.reset_pages(AccountPage(self.bank))
        else:
            self.use_field("password").clear_text()
            self.bank.host.show_toast(self.t("用户名或密码错误", "Wrong user name or password"))


class AccountPage(BankPage):
    activity = ".AccountActivity"

    def build(self) -> Node:
        t, theme = self.t, self.colours
        balance = f"¥ {self.bank.balance:,.2f}"
        head = column(
            label(t("可用余额", "Available balance"), 40, WHITE),
            label(balance, 88, WHITE, rid=self.bank.rid_of("balance")),
            fill=NAVY,
            radius=36,
            pad=(56, 56, 56, 56),
            gap=12,
        )
        history = [
            list_row(name, theme, sub=f"− ¥ {amount:,.2f}", rid=self.bank.rid_of("transfer_item"))
            for name, amount in reversed(self.bank.transfers)
        ]
        log_out = button(
            t("退出登录", "Log out"),
            self._log_out,
            theme,
            fill=theme.field,
            ink=theme.ink,
            rid=self.bank.rid_of("logout_btn"),
        )
        transfer = button(
            t("转账", "Transfer"),
            lambda: self.bank.push_page(TransferPage(self.bank)),
            theme,
            fill=NAVY,
            rid=self.bank.rid_of("transfer_btn"),
        )
        return screen(
            theme,
            column(
                label(t("我的账户", "My account"), 56, theme.ink, bold=True, rid=self.bank.rid_of("title")),
                pad=(52, 36, 52, 28),
            ),
            column(head, transfer, log_out, gap=32, pad=(44, 0, 44, 20)),
            section(t("转账记录", "Transfers"), theme),
            scroller(self.use_scroll(), *history),
        )

    def _log_out(self) -> None:
        self.bank.user = ""
        self.bank.reset_pages(LoginPage(self.bank))


class TransferPage(BankPage):
    activity = ".TransferActivity"

    def build(self) -> Node:
        t, theme = self.t, self.colours
        return self.build_form(
            self.build_bar(t("转账", "Transfer")),
            column(
                entry(
                    self.use_field("to"), t("收款人", "Payee"), theme, rid=self.bank.rid_of("payee"), fill=theme.card
                ),
                entry(
                    self.use_field("amount"),
                    t("金额", "Amount"),
                    theme,
                    rid=self.bank.rid_of("amount"),
                    fill=theme.card,
                ),
                button(t("下一步", "Next"), self._ask_to_confirm, theme, fill=NAVY, rid=self.bank.rid_of("next_btn")),
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
        if not to or not 0 < amount <= self.bank.balance:
            self.bank.host.show_toast(self.t("请检查收款人和金额", "Check payee and amount"))
            return
        self.typing = False
        self.confirm_action(
            self.t("确认转账", "Confirm transfer"),
            self.t(f"向{to}转账 ¥ {amount:,.2f}？", f"Transfer ¥ {amount:,.2f} to {to}?"),
            self.t("确认", "Confirm"),
            lambda: self._pay_amount(to, amount),
        )

    def _pay_amount(self, to: str, amount: float) -> None:
        self.bank.balance -= amount
        self.bank.transfers.append((to, amount))
        self.bank.host.show_toast(self.t("转账成功", "Transfer complete"))
        self.leave_page()


class Bank(App):
    package, label, label_en, activity = "com.example.bank", "示例银行", "Example Bank", ".LoginActivity"
    icon, tint, secure = "bank", NAVY, True

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.user = ""
        self.balance = 12580.50
        self.transfers: list[tuple[str, float]] = []

    def build_first_page(self) -> Page:
        return AccountPage(self) if self.user else LoginPage(self)

    def close_pages(self) -> None:
        super().close_pages()
        self.user = ""

    def read_state(self) -> dict[str, Any]:
        """user: who is logged in; balance; transfers: [{to, amount}] (irreversible)."""
        transfers = [{"to": to, "amount": amount} for to, amount in self.transfers]
        return {"user": self.user, "balance": round(self.balance, 2), "transfers": transfers}
