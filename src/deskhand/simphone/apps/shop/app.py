"""A shop: products, a cart, a checkout form, and orders that cannot be taken back."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
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


@cache
def load_products() -> tuple[Product, ...]:
    table = tomllib.loads(Path(__file__).with_name("products.toml").read_text(encoding="utf-8"))
    return tuple(
        Product(key, tuple(name), tuple(about), price, icon, tuple(tint))
        for key, name, about, price, icon, tint in table["products"]
    )


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
        return [(p, self.cart[p.key]) for p in load_products() if p.key in self.cart]

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
