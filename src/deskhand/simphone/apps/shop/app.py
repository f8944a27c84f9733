"""A shop: products, a cart, a checkout form, and orders that cannot be taken back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from deskhand.simphone.apps.framework import App, Host, Page
from deskhand.simphone.ui.nodes import Colour

RED = (226, 62, 48)


@dataclass(frozen=True)
class Product:
    key: str
    name: tuple[str, str]
    about: tuple[str, str]
    price: int
    icon: str
    tint: Colour


PRODUCTS: tuple[Product, ...] = (
    Product("headphones", ("无线耳机", "Wireless headphones"), ("主动降噪，续航三十小时", "Noise cancelling, 30 hours"),
            299, "headphones", (70, 84, 190)),
    Product("cup", ("保温杯", "Thermos cup"), ("保温十二小时，500 毫升", "Keeps warm for 12 hours, 500 ml"),
            89, "cup", (200, 120, 60)),
    Product("lamp", ("护眼台灯", "Desk lamp"), ("三档亮度，暖光", "Three levels of warm light"),
            159, "lamp", (220, 170, 50)),
    Product("bag", ("双肩包", "Backpack"), ("防水面料，15 寸电脑仓", "Waterproof, fits a 15 inch laptop"),
            239, "bag", (60, 120, 90)),
    Product("book", ("设计心理学", "The Design of Everyday Things"), ("平装，348 页", "Paperback, 348 pages"),
            58, "book", (140, 80, 140)),
    Product("mouse", ("静音鼠标", "Silent mouse"), ("蓝牙双模", "Bluetooth and USB"),
            79, "compass", (90, 100, 116)),
    Product("watch", ("智能手表", "Smart watch"), ("心率与睡眠监测", "Heart rate and sleep"),
            699, "clock", (40, 60, 90)),
    Product("camera", ("拍立得相机", "Instant camera"), ("即拍即印", "Prints at once"),
            459, "camera", (214, 110, 140)),
    Product("speaker", ("蓝牙音箱", "Bluetooth speaker"), ("防水，可串联", "Waterproof, pairs in stereo"),
            189, "sound", (30, 140, 150)),
    Product("umbrella", ("折叠雨伞", "Folding umbrella"), ("抗风八骨", "Eight ribs, windproof"),
            49, "cloud", (70, 130, 210)),
    Product("keyboard", ("机械键盘", "Mechanical keyboard"), ("87 键，茶轴", "87 keys, brown switches"),
            329, "menu", (96, 84, 120)),
    Product("notebook", ("笔记本", "Notebook"), ("A5 点阵，160 页", "A5 dotted, 160 pages"),
            25, "note", (190, 150, 90)),
)  # fmt: skip


class Shop(App):
    package, label, label_en, activity = "com.example.shop", "优选商城", "Shop", ".MainActivity"
    icon, tint = "bag", RED

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.cart: dict[str, int] = {}
        self.orders: list[dict[str, Any]] = []

    def build_first_page(self) -> Page[App]:
        # here, because the pages import this module for the data they show
        from deskhand.simphone.apps.shop.shop_pages import ProductsPage

        return ProductsPage(self)

    def list_lines(self) -> list[tuple[Product, int]]:
        return [(p, self.cart[p.key]) for p in PRODUCTS if p.key in self.cart]

    @property
    def total(self) -> int:
        return sum(product.price * count for product, count in self.list_lines())

    @property
    def count(self) -> int:
        return sum(self.cart.values())

    def add_to_cart(self, key: str, count: int) -> None:
        left = self.cart.get(key, 0) + count
        if left > 0:
            self.cart[key] = left
        else:
            self.cart.pop(key, None)

    def place_order(self, name: str, phone: str, address: str) -> None:
        self.orders.append(
            {
                "number": f"DH{len(self.orders) + 1:06d}",
                "items": [{"product": p.key, "name": self.t(*p.name), "count": n} for p, n in self.list_lines()],
                "total": self.total,
                "name": name,
                "phone": phone,
                "address": address,
            }
        )
        self.cart.clear()

    def read_state(self) -> dict[str, Any]:
        """cart: product → count; total; orders: [{number, items, total, name, phone, address}] (irreversible)."""
        return {"cart": dict(self.cart), "total": self.total, "orders": [dict(order) for order in self.orders]}
