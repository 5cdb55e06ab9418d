"""Keys for people: which bytes are which field."""

from __future__ import annotations

from collections.abc import Iterable


def explained(key: bytes, parts: Iterable[tuple[str, bytes, str]]) -> str:
    """A line for each part of a key: where it begins, its bytes, its name, its value."""
    lines, at = [], 0
    for name, content, value in parts:
        content = key[at : at + len(content)]
        lines.append(f"{at:4}  {content.hex() or '-'}  {name}{' = ' if value else ''}{value}")
        at += len(content)
    return "\n".join(lines)
