"""The shop's pages: products, one product, the cart, the checkout, past orders."""

from __future__ import annotations

from itertools import pairwise

from deskhand.simphone.apps.framework import Page
from deskhand.simphone.apps.shop.app import RED, Product, Shop, load_products
from deskhand.simphone.ui.nodes import FILL, WRAP, Action, Node
from deskhand.simphone.ui.widgets import (
    WHITE,
    BadgeIcon,
    Column,
    Divider,
    EmptyNote,
    Icon,
    Label,
    ListRow,
    RoundButton,
    Row,
    Screen,
    Scroller,
    TopBar,
)


class ShopPage(Page[Shop]):
    def build_cart_button(self) -> Node:
        def open_cart() -> None:
            self.app.push_page(CartPage(self.app))

        count = self.app.count
        name = self.t("购物车", "Cart")
        text = f"{name}({count})" if count else name
        return Row(
            Icon("cart", 56, self.colours.ink),
            Label(text, 38, self.colours.ink, rid=self.rid_of("cart_text")),
            w=WRAP,
            gap=10,
            pad=(24, 24, 24, 24),
            on_tap=open_cart,
            desc=name,
            rid=self.rid_of("cart_btn"),
        )

    def build_stepper(self, count: int, less: Action, more: Action) -> Node:
        theme, rid = self.colours, self.app.rid_of
        return Row(
            self.build_icon_button("remove", self.t("减少", "Decrease"), "minus_btn", less, size=40),
            Label(str(count), 48, theme.ink, rid=rid("quantity"), w=80, align="center"),
            self.build_icon_button("add", self.t("增加", "Increase"), "plus_btn", more, size=40),
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
        found = [p for p in load_products() if any(wanted in name.lower() for name in p.name)]
        rows = [self._build_row(p) for p in found] or [EmptyNote(t("没有找到商品", "No products found"), theme)]
        orders = self.build_icon_button(
            "note", t("我的订单", "My orders"), "orders_btn", lambda: self.app.push_page(OrdersPage(self.app))
        )
        return Screen(
            theme,
            TopBar(t("优选商城", "Shop"), theme, orders, self.build_cart_button(), rid=self.rid_of("title")),
            Column(self.build_entry(query, t("搜索商品", "Search products"), "search"), pad=(40, 0, 40, 24)),
            Scroller(self.use_scroll(), *rows, rid=self.rid_of("product_list")),
        )

    def _build_row(self, product: Product) -> Node:
        theme = self.colours
        texts = Column(
            Label(self.t(*product.name), 46, theme.ink, w=FILL, max_lines=1, rid=self.rid_of("product_name")),
            Label(self.t(*product.about), 36, theme.soft, w=FILL, max_lines=1),
            Label(f"¥{product.price}", 48, RED, bold=True, rid=self.rid_of("product_price")),
            weight=1.0,
            gap=8,
        )
        body = Row(
            BadgeIcon(product.icon, 200, product.tint, radius=28),
            texts,
            gap=40,
            pad=(44, 28, 44, 28),
            fill=theme.card,
            on_tap=lambda: self.app.push_page(ProductPage(self.app, product)),
            rid=self.rid_of("product_item"),
        )
        return Column(body, Divider(theme, 284))


class ProductPage(ShopPage):
    activity = ".ProductActivity"

    def __init__(self, app: Shop, product: Product) -> None:
        super().__init__(app)
        self.product = product
        self.count = 1

    def build(self) -> Node:
        t, theme, product = self.t, self.colours, self.product
        picture = Column(BadgeIcon(product.icon, 560, product.tint, radius=60), align="center", pad=(0, 40, 0, 60))
        facts = Column(
            Label(f"¥{product.price}", 72, RED, bold=True, rid=self.rid_of("price")),
            Label(t(*product.name), 56, theme.ink, w=FILL, rid=self.rid_of("detail_name")),
            Label(t(*product.about), 42, theme.soft, w=FILL),
            Row(
                Label(t("数量", "Quantity"), 44, theme.ink, weight=1.0),
                self.build_stepper(self.count, self._take_one, self._add_one),
                pad=(0, 24, 0, 0),
            ),
            gap=16,
            pad=(52, 40, 52, 48),
            fill=theme.card,
        )
        buttons = Row(
            self.build_button(
                t("加入购物车", "Add to cart"), "add_to_cart", self._add_to_cart, fill=(240, 150, 40), weight=1.0
            ),
            self.build_button(t("立即购买", "Buy now"), "buy_now", self._buy_now, fill=RED, weight=1.0),
            gap=28,
            pad=(44, 24, 44, 24),
            fill=theme.card,
        )
        return Screen(
            theme, self.build_bar("", self.build_cart_button()), Scroller(self.use_scroll(), picture, facts), buttons
        )

    def _take_one(self) -> None:
        self.count = max(self.count - 1, 1)

    def _add_one(self) -> None:
        self.count = min(self.count + 1, 99)

    def _add_to_cart(self) -> None:
        self.app.add_to_cart(self.product.key, self.count)
        self.host.show_toast(self.t("已加入购物车", "Added to cart"))

    def _buy_now(self) -> None:
        self._add_to_cart()
        self.app.push_page(CheckoutPage(self.app))


class CartPage(ShopPage):
    activity = ".CartActivity"

    def build(self) -> Node:
        t, theme = self.t, self.colours
        lines = self.app.list_lines()
        rows = [self._build_line(product, count) for product, count in lines]
        rows = rows or [EmptyNote(t("购物车是空的", "Your cart is empty"), theme)]
        total = Label(
            t("合计 ", "Total ") + f"¥{self.app.total}", 48, RED, bold=True, weight=1.0, rid=self.rid_of("total")
        )
        pay = self.build_button(
            t("去结算", "Checkout"),
            "checkout_btn",
            lambda: self.app.push_page(CheckoutPage(self.app)),
            fill=RED,
            w=360,
            enabled=bool(lines),
        )
        foot = Row(total, pay, pad=(52, 24, 44, 24), fill=theme.card)
        title = self.build_bar(t("购物车", "Cart"))
        return Screen(
            theme, title, Scroller(self.use_scroll(), *rows, rid=self.rid_of("cart_list")), Divider(theme), foot
        )

    def _build_line(self, product: Product, count: int) -> Node:
        def change_count(by: int) -> None:
            self.app.add_to_cart(product.key, by)

        theme = self.colours
        texts = Column(
            Label(self.t(*product.name), 44, theme.ink, w=FILL, max_lines=1),
            Label(f"¥{product.price}", 42, RED),
            weight=1.0,
            gap=8,
        )
        remove = self.build_icon_button(
            "trash",
            self.t("移除", "Remove") + " " + self.t(*product.name),
            "remove_btn",
            lambda: change_count(-count),
            size=44,
            ink=theme.soft,
        )
        body = Row(
            BadgeIcon(product.icon, 140, product.tint, radius=24),
            texts,
            self.build_stepper(count, lambda: change_count(-1), lambda: change_count(1)),
            remove,
            gap=20,
            pad=(44, 24, 12, 24),
            fill=theme.card,
            rid=self.rid_of("cart_item"),
        )
        return Column(body, Divider(theme))


class CheckoutPage(ShopPage):
    activity = ".CheckoutActivity"

    def build(self) -> Node:
        t, theme = self.t, self.colours
        hints = (
            ("name", t("收货人", "Full name")),
            ("phone", t("手机号", "Phone number")),
            ("address", t("收货地址", "Address")),
        )
        fields = [self.build_entry(self.use_field(key), hint, f"checkout_{key}") for key, hint in hints]
        keys = [key for key, _ in hints]
        for here, there in pairwise(keys):
            self.use_field(here).on_enter = lambda there=there: self.focus_field(self.use_field(there))
        items = [
            Row(Label(f"{t(*p.name)} × {n}", 42, theme.soft, weight=1.0), Label(f"¥{p.price * n}", 42, theme.soft))
            for p, n in self.app.list_lines()
        ]
        pay = self.build_button(
            t("支付", "Pay") + f" ¥{self.app.total}",
            "pay_btn",
            self._ask_to_confirm,
            fill=RED,
            enabled=bool(self.app.cart),
        )
        return Screen(
            theme,
            self.build_bar(t("确认订单", "Checkout")),
            Scroller(self.use_scroll(), Column(*fields, gap=28), Column(*items, gap=16), pad=(44, 24, 44, 40), gap=40),
            Column(pay, pad=(44, 20, 44, 24), fill=theme.card),
        )

    def _ask_to_confirm(self) -> None:
        if not all(self.use_field(key).text.strip() for key in ("name", "phone", "address")):
            self.host.show_toast(self.t("请填写收货信息", "Please fill in name, phone and address"))
            return
        self.typing = False
        self.confirm_action(
            self.t("确认支付", "Confirm payment"),
            self.t(f"支付 ¥{self.app.total}？付款后不能撤销。", f"Pay ¥{self.app.total}? This cannot be undone."),
            self.t("确认支付", "Pay now"),
            self._pay_order,
        )

    def _pay_order(self) -> None:
        values = [self.use_field(key).text.strip() for key in ("name", "phone", "address")]
        self.app.place_order(*values)
        self.app.reset_pages(ProductsPage(self.app), OrderDonePage(self.app))


class OrderDonePage(ShopPage):
    activity = ".OrderDoneActivity"

    def build(self) -> Node:
        t, theme, order = self.t, self.colours, self.app.orders[-1]
        return self.build_form(
            None,
            Column(
                RoundButton("check", 120, WHITE, (46, 160, 90), 220),
                Label(t("支付成功", "Payment complete"), 64, theme.ink, bold=True, rid=self.rid_of("done_title")),
                Label(t("订单号 ", "Order ") + order["number"], 42, theme.soft, rid=self.rid_of("order_number")),
                self.build_button(t("返回首页", "Back to shop"), "home_btn", self.leave_page, fill=RED, w=500),
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
            ListRow(order["number"], theme, sub=f"¥{order['total']} · {order['name']}", rid=self.rid_of("order_item"))
            for order in reversed(self.app.orders)
        ]
        rows = rows or [EmptyNote(t("还没有订单", "No orders yet"), theme)]
        return Screen(theme, self.build_bar(t("我的订单", "My orders")), Scroller(self.use_scroll(), *rows))
