"""The shop's pages: products, one product, the cart, the checkout, past orders."""

from __future__ import annotations

from itertools import pairwise

from deskhand.simphone.apps.framework import Page
from deskhand.simphone.apps.shop.app import PRODUCTS, RED, Product, Shop
from deskhand.simphone.ui.nodes import FILL, WRAP, Action, Node
from deskhand.simphone.ui.widgets import (
    WHITE,
    badge_icon,
    button,
    column,
    empty_note,
    entry,
    icon,
    label,
    line,
    list_row,
    row,
    screen,
    scroller,
    top_bar,
)


class ShopPage(Page):
    def __init__(self, app: Shop) -> None:
        super().__init__(app)
        self.shop = app

    def build_cart_button(self) -> Node:
        def open_cart() -> None:
            self.shop.push_page(CartPage(self.shop))

        count = self.shop.count
        name = self.t("购物车", "Cart")
        text = f"{name}({count})" if count else name
        return row(
            icon("cart", 56, self.colours.ink),
            label(text, 38, self.colours.ink, rid=self.shop.rid_of("cart_text")),
            w=WRAP,
            gap=10,
            pad=(24, 24, 24, 24),
            on_tap=open_cart,
            desc=name,
            rid=self.shop.rid_of("cart_btn"),
        )

    def build_stepper(self, count: int, less: Action, more: Action) -> Node:
        theme, rid = self.colours, self.shop.rid_of
        return row(
            icon("remove", 40, theme.ink, on_tap=less, desc=self.t("减少", "Decrease"), rid=rid("minus_btn")),
            label(str(count), 48, theme.ink, rid=rid("quantity"), w=80, align="center"),
            icon("add", 40, theme.ink, on_tap=more, desc=self.t("增加", "Increase"), rid=rid("plus_btn")),
            w=WRAP,
            fill=theme.field,
            radius=20,
        )


class ProductsPage(ShopPage):
    activity = ".MainActivity"

    def build(self) -> Node:
        t, theme = self.t, self.colours
        query = self.use_field("search")
        query.enter_label = t("搜索", "Search")
        wanted = query.text.strip().lower()
        found = [p for p in PRODUCTS if any(wanted in name.lower() for name in p.name)]
        rows = [self._build_row(p) for p in found] or [empty_note(t("没有找到商品", "No products found"), theme)]
        orders = icon(
            "note",
            56,
            theme.ink,
            on_tap=lambda: self.shop.push_page(OrdersPage(self.shop)),
            desc=t("我的订单", "My orders"),
            rid=self.shop.rid_of("orders_btn"),
        )
        return screen(
            theme,
            top_bar(t("优选商城", "Shop"), theme, orders, self.build_cart_button(), rid=self.shop.rid_of("title")),
            column(
                entry(query, t("搜索商品", "Search products"), theme, rid=self.shop.rid_of("search"), fill=theme.card),
                pad=(40, 0, 40, 24),
            ),
            scroller(self.use_scroll(), *rows, rid=self.shop.rid_of("product_list")),
        )

    def _build_row(self, product: Product) -> Node:
        theme = self.colours
        texts = column(
            label(self.t(*product.name), 46, theme.ink, w=FILL, max_lines=1, rid=self.shop.rid_of("product_name")),
            label(self.t(*product.about), 36, theme.soft, w=FILL, max_lines=1),
            label(f"¥{product.price}", 48, RED, bold=True, rid=self.shop.rid_of("product_price")),
            weight=1.0,
            gap=8,
        )
        body = row(
            badge_icon(product.icon, 200, product.tint, radius=28),
            texts,
            gap=40,
            pad=(44, 28, 44, 28),
            fill=theme.card,
            on_tap=lambda: self.shop.push_page(ProductPage(self.shop, product)),
            rid=self.shop.rid_of("product_item"),
        )
        return column(body, line(theme, 284))


class ProductPage(ShopPage):
    activity = ".ProductActivity"

    def __init__(self, app: Shop, product: Product) -> None:
        super().__init__(app)
        self.product = product
        self.count = 1

    def build(self) -> Node:
        t, theme, product = self.t, self.colours, self.product
        picture = column(badge_icon(product.icon, 560, product.tint, radius=60), align="center", pad=(0, 40, 0, 60))
        facts = column(
            label(f"¥{product.price}", 72, RED, bold=True, rid=self.shop.rid_of("price")),
            label(t(*product.name), 56, theme.ink, w=FILL, rid=self.shop.rid_of("detail_name")),
            label(t(*product.about), 42, theme.soft, w=FILL),
            row(
                label(t("数量", "Quantity"), 44, theme.ink, weight=1.0),
                self.build_stepper(self.count, self._take_one, self._add_one),
                pad=(0, 24, 0, 0),
            ),
            gap=16,
            pad=(52, 40, 52, 48),
            fill=theme.card,
        )
        buttons = row(
            button(
                t("加入购物车", "Add to cart"),
                self._add_to_cart,
                theme,
                fill=(240, 150, 40),
                rid=self.shop.rid_of("add_to_cart"),
                weight=1.0,
            ),
            button(
                t("立即购买", "Buy now"), self._buy_now, theme, fill=RED, rid=self.shop.rid_of("buy_now"), weight=1.0
            ),
            gap=28,
            pad=(44, 24, 44, 24),
            fill=theme.card,
        )
        return screen(
            theme, self.build_bar("", self.build_cart_button()), scroller(self.use_scroll(), picture, facts), buttons
        )

    def _take_one(self) -> None:
        self.count = max(self.count - 1, 1)

    def _add_one(self) -> None:
        self.count = min(self.count + 1, 99)

    def _add_to_cart(self) -> None:
        self.shop.add_to_cart(self.product.key, self.count)
        self.shop.host.show_toast(self.t("已加入购物车", "Added to cart"))

    def _buy_now(self) -> None:
        self._add_to_cart()
        self.shop.push_page(CheckoutPage(self.shop))


class CartPage(ShopPage):
    activity = ".CartActivity"

    def build(self) -> Node:
        t, theme = self.t, self.colours
        lines = self.shop.list_lines()
        rows = [self._build_line(product, count) for product, count in lines]
        rows = rows or [empty_note(t("购物车是空的", "Your cart is empty"), theme)]
        total = label(
            t("合计 ", "Total ") + f"¥{self.shop.total}", 48, RED, bold=True, weight=1.0, rid=self.shop.rid_of("total")
        )
        pay = button(
            t("去结算", "Checkout"),
            lambda: self.shop.push_page(CheckoutPage(self.shop)),
            theme,
            fill=RED,
            w=360,
            rid=self.shop.rid_of("checkout_btn"),
            enabled=bool(lines),
        )
        foot = row(total, pay, pad=(52, 24, 44, 24), fill=theme.card)
        title = self.build_bar(t("购物车", "Cart"))
        return screen(
            theme, title, scroller(self.use_scroll(), *rows, rid=self.shop.rid_of("cart_list")), line(theme), foot
        )

    def _build_line(self, product: Product, count: int) -> Node:
        def change_count(by: int) -> None:
            self.shop.add_to_cart(product.key, by)

        theme = self.colours
        texts = column(
            label(self.t(*product.name), 44, theme.ink, w=FILL, max_lines=1),
            label(f"¥{product.price}", 42, RED),
            weight=1.0,
            gap=8,
        )
        remove = icon(
            "trash",
            44,
            theme.soft,
            on_tap=lambda: change_count(-count),
            desc=self.t("移除", "Remove") + " " + self.t(*product.name),
            rid=self.shop.rid_of("remove_btn"),
        )
        body = row(
            badge_icon(product.icon, 140, product.tint, radius=24),
            texts,
            self.build_stepper(count, lambda: change_count(-1), lambda: change_count(1)),
            remove,
            gap=20,
            pad=(44, 24, 12, 24),
            fill=theme.card,
            rid=self.shop.rid_of("cart_item"),
        )
        return column(body, line(theme))


class CheckoutPage(ShopPage):
    activity = ".CheckoutActivity"

    def build(self) -> Node:
        t, theme = self.t, self.colours
        hints = (
            ("name", t("收货人", "Full name")),
            ("phone", t("手机号", "Phone number")),
            ("address", t("收货地址", "Address")),
        )
        fields = [
            entry(self.use_field(key), hint, theme, rid=self.shop.rid_of(f"checkout_{key}"), fill=theme.card)
            for key, hint in hints
        ]
        keys = [key for key, _ in hints]
        for here, there in pairwise(keys):
            self.use_field(here).on_enter = lambda there=there: self.focus_field(self.use_field(there))
        items = [
            row(label(f"{t(*p.name)} × {n}", 42, theme.soft, weight=1.0), label(f"¥{p.price * n}", 42, theme.soft))
            for p, n in self.shop.list_lines()
        ]
        pay = button(
            t("支付", "Pay") + f" ¥{self.shop.total}",
            self._ask_to_confirm,
            theme,
            fill=RED,
            rid=self.shop.rid_of("pay_btn"),
            enabled=bool(self.shop.cart),
        )
        return screen(
            theme,
            self.build_bar(t("确认订单", "Checkout")),
            scroller(self.use_scroll(), column(*fields, gap=28), column(*items, gap=16), pad=(44, 24, 44, 40), gap=40),
            column(pay, pad=(44, 20, 44, 24), fill=theme.card),
        )

    def _ask_to_confirm(self) -> None:
        if not all(self.use_field(key).text.strip() for key in ("name", "phone", "address")):
            self.shop.host.show_toast(self.t("请填写收货信息", "Please fill in name, phone and address"))
            return
        self.typing = False
        self.confirm_action(
            self.t("确认支付", "Confirm payment"),
            self.t(f"支付 ¥{self.shop.total}？付款后不能撤销。", f"Pay ¥{self.shop.total}? This cannot be undone."),
            self.t("确认支付", "Pay now"),
            self._pay_order,
        )

    def _pay_order(self) -> None:
        values = [self.use_field(key).text.strip() for key in ("name", "phone", "address")]
        self.shop.place_order(*values)
        self.shop.reset_pages(ProductsPage(self.shop), OrderDonePage(self.shop))


class OrderDonePage(ShopPage):
    activity = ".OrderDoneActivity"

    def build(self) -> Node:
        t, theme, order = self.t, self.colours, self.shop.orders[-1]
        return self.build_form(
            None,
            column(
                icon("check", 120, WHITE, fill=(46, 160, 90), radius=110, w=220, h=220),
                label(t("支付成功", "Payment complete"), 64, theme.ink, bold=True, rid=self.shop.rid_of("done_title")),
                label(t("订单号 ", "Order ") + order["number"], 42, theme.soft, rid=self.shop.rid_of("order_number")),
                button(
                    t("返回首页", "Back to shop"),
                    self.leave_page,
                    theme,
                    fill=RED,
                    w=500,
                    rid=self.shop.rid_of("home_btn"),
                ),
                align="center",
                gap=44,
                pad=(0, 300, 0, 0),
            ),
        )


class OrdersPage(ShopPage):
    activity = ".OrdersActivity"

    def build(self) -> Node:
        t, theme = self.t, self.colours
        rows = [
            list_row(
                order["number"], theme, sub=f"¥{order['total']} · {order['name']}", rid=self.shop.rid_of("order_item")
            )
            for order in reversed(self.shop.orders)
        ]
        rows = rows or [empty_note(t("还没有订单", "No orders yet"), theme)]
        return screen(theme, self.build_bar(t("我的订单", "My orders")), scroller(self.use_scroll(), *rows))
