"""Whether a table has the keys of a codec."""

from __future__ import annotations

from .errors import LayoutMismatch


def check_layout(name: str, shape: str, fingerprint: str, kept: str | bytes) -> None:
    """Raises LayoutMismatch unless what a table kept, its shape or its fingerprint, is this."""
    text = kept.decode() if isinstance(kept, bytes) else kept
    if text not in (shape, fingerprint):
        raise LayoutMismatch(f"{name} has keys of {shape} ({fingerprint}), the table has keys of {text}")
