"""Arithmetic as people write it: read into signs, worked out exactly, and never by evaluating text as code."""

import re
import unicodedata
from decimal import Decimal, DivisionByZero, InvalidOperation, Overflow

_WORDS = [
    (r"divided\s+by|除以|除|÷|／", "/"), (r"multiplied\s+by|times|乘以|乘上|乘|×|✕|·", "*"), (r"plus|加上|加", "+"),
    (r"(?<=%)\s*of(?=\s*\d)", "*"), (r"minus|减去|减|−|–|—", "-"),
    (r"to\s+the\s+power\s+of|的?(\d+)次方", r"^\1"), (r"(?<=\d)\s*x\s*(?=\d)", "*"),
]  # fmt: skip
_NUMERAL = re.compile(r"[零一二两三四五六七八九十百千万]+(?:点[零一二三四五六七八九]+)?")
_DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"两": 2}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_SHAPE = re.compile(r"[\d.+\-*/()%^]+")


def read_sum(text: str) -> str | None:
    """The sum in plain signs (`12*34`), or None if the text is no sum of at least two numbers."""
    plain = unicodedata.normalize("NFKC", text).casefold().strip()
    if "再" in plain:
        return _chain_sums(plain)
    if re.search(r"\d[十百千万亿]", plain):
        return None  # 1万: a number of both kinds
    plain = _NUMERAL.sub(lambda found: read_chinese_amount(found[0]), plain)
    if not any(c.isdigit() for c in plain):
        return None
    for pattern, sign in _WORDS:
        plain = re.sub(pattern, sign, plain) if "\\1" in sign else re.sub(pattern, sign.replace("\\", ""), plain)
    plain = re.sub(r"\s+", "", plain).rstrip("=")
    plain = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", plain)
    if not _SHAPE.fullmatch(plain) or len(_NUMBER.findall(plain)) < 2 or not re.search(r"[+\-*/^%]", plain):
        return None
    try:
        SumReader(plain).read_whole()
    except ValueError:
        return None
    return plain


def _chain_sums(plain: str) -> str | None:
    """12加8再乘以3: what was worked out so far is gone on with."""
    first, *others = re.split(r"[,，]?\s*再", plain)
    whole = read_sum(first)
    for other in others:
        more = read_sum(f"0{other}") if whole else None
        whole = f"({whole}){more[1:]}" if more and more[1:2] in tuple("+-*/") else None
    return whole


def read_chinese_amount(text: str) -> str:
    """`一百二十三` is 123, `三点五` is 3.5, `两万` is 20000."""
    whole, _, part = text.partition("点")
    total = section = digit = 0
    for sign in whole:
        if sign in _DIGITS:
            digit = _DIGITS[sign]
        elif sign == "万":
            total, section, digit = total + (section + digit or 1) * 10_000, 0, 0
        else:
            section, digit = section + (digit or 1) * _UNITS[sign], 0
    decimals = "".join(str(_DIGITS[sign]) for sign in part)
    return f"{total + section + digit}{'.' if decimals else ''}{decimals}"


def work_out(text: str) -> Decimal | None:
    """Its value; None where there is none (a division by zero, a number too large)."""
    try:
        return SumReader(text).read_whole()
    except (ValueError, DivisionByZero, InvalidOperation, Overflow, ArithmeticError):
        return None


def read_number(text: str) -> Decimal | None:
    """The number that a display shows (`1,234.5`, `= 408`), if it shows just one."""
    plain = unicodedata.normalize("NFKC", text).replace("−", "-").replace(" ", "").lstrip("=")
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", plain)
    return Decimal(plain) if re.fullmatch(r"-?\d+(\.\d+)?", plain) else None


class SumReader:
    """Recursive descent over one sum."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def read_whole(self) -> Decimal:
        value = self._read_terms()
        if self.at != len(self.text):
            raise ValueError(f"unexpected {self.text[self.at]!r}")
        return value

    def _take_sign(self, signs: str) -> str:
        if self.at < len(self.text) and self.text[self.at] in signs:
            self.at += 1
            return self.text[self.at - 1]
        return ""

    def _read_terms(self) -> Decimal:
        value = self._read_factors()
        while sign := self._take_sign("+-"):
            other = self._read_factors()
            value = value + other if sign == "+" else value - other
        return value

    def _read_factors(self) -> Decimal:
        value = self._read_power()
        while sign := self._take_sign("*/"):
            other = self._read_power()
            if sign == "/" and other == 0:
                # a calculator says so itself; reading the sum does not fail
                other = Decimal("NaN")
            value = value * other if sign == "*" else value / other
        return value

    def _read_power(self) -> Decimal:
        value = self._read_atom()
        while self._take_sign("%"):
            value /= 100
        if self._take_sign("^"):
            exponent = self._read_power()
            if abs(exponent) > 1000:
                raise ValueError("the exponent is too large")
            return value**exponent
        return value

    def _read_atom(self) -> Decimal:
        if self._take_sign("-"):
            return -self._read_atom()
        if self._take_sign("("):
            value = self._read_terms()
            if not self._take_sign(")"):
                raise ValueError("a bracket is open")
            return value
        found = _NUMBER.match(self.text, self.at)
        if not found:
            raise ValueError("a number is missing")
        self.at = found.end()
        return Decimal(found[0])
