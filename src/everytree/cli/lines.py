"""A table of numbers that fits a narrow screen without breaking a name."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

__all__ = ["Lines"]


class Lines:
    """A table whose titles run over all columns, and where a long name of a row stands above its numbers."""

    def __init__(self, headers: Sequence[str]) -> None:
        self.headers = list(headers)
        self.rows: list[tuple[str, list[str]]] = []

    def add_title(self, text: str) -> None:
        """Add a line of text."""
        self.rows.append((text, []))

    def add_row(self, name: str, numbers: Sequence[str]) -> None:
        """Add a row: its name, then the numbers."""
        self.rows.append((name, list(numbers)))

    def lines(self, width: int) -> list[str]:
        """Lay the table out on a screen of so many columns, as wide as `plain_table` would."""
        first, *others = self.headers
        rows = [(name, numbers) for name, numbers in self.rows if numbers]
        wide = [max(map(cell_len, column)) for column in zip(others, *(n for _, n in rows), strict=True)]
        room = max(cell_len(first), width - sum(wide) - 3 * len(wide))
        names = max((cell_len(name) for name, _ in rows if cell_len(name) <= room), default=0)
        own = max(cell_len(first), names)

        def line(name: str, numbers: Sequence[str]) -> str:
            aligned = [f"{number:>{size}}" for number, size in zip(numbers, wide, strict=True)]
            return "   ".join([name + " " * (own - cell_len(name)), *aligned])

        laid = [line(first, others), "─" * (own + sum(wide) + 3 * len(wide))]
        for name, numbers in self.rows:
            long = not numbers or cell_len(name) > own
            laid += [name] if long else []
            laid += [line("" if long else name, numbers)] if numbers else []
        return laid
