"""Whether a table has the keys of a codec."""

from __future__ import annotations

from typing import Any

from .byte_strings import is_bytes
from .errors import LayoutMismatch, shown

_ROW_KEY = "row key: "


def check_layout(name: str, shape: str, fingerprint: str, kept: Any) -> None:
    """Raises LayoutMismatch unless what a table kept is this: its shape, its fingerprint, or a wide table's schema, in
    text or in bytes. Line ends behind it do not count.

    Rust keeps a shape in the table `rowkey.layouts`, in the row of `t` and the table's name, and a wide table's schema
    in `rowkey.schemas`, in the column `s:schema` of the row of the table's name, or in HBase as a table's attribute.
    """
    text = bytes(kept).decode(errors="replace") if is_bytes(kept) else kept
    if not isinstance(text, str):
        raise LayoutMismatch(f"{name} has keys of {shape} ({fingerprint}), {shown(kept)} is no layout")
    text = next((line.removeprefix(_ROW_KEY) for line in text.split("\n") if line.startswith(_ROW_KEY)), text)
    text = text.rstrip("\r\n")
    if text not in (shape, fingerprint):
        raise LayoutMismatch(f"{name} has keys of {shape} ({fingerprint}), the table has keys of {text}")
