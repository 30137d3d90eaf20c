"""The folder of an audit: one file for each finished cell, whole or not there at all, checked when read.

A file is named after what was asked (see `digests`), and begins with a checksum of what it holds.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from pathlib import Path
from typing import Any

from everytree.support.files import replace_file

__all__ = ["FORMAT", "Store"]

FORMAT = 1
"""Changes when the meaning of what is kept does."""

INPUTS = "audit.json"
"""What the cells of the last run were computed from."""


class Store:
    """Keeps packed results under their keys.

    Parameters
    ----------
    folder : Path
        It exists and may be written to.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, key: str) -> Path:
        """Name the file of a cell."""
        return self.folder / f"{key}.json.gz"

    def put(self, key: str, content: dict[str, Any]) -> dict[str, Any]:
        """Keep a result and give it as `get` will; the same content always makes the same bytes."""
        body = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
        head = {"everytree": FORMAT, "key": key, "sha256": hashlib.sha256(body).hexdigest()}
        packed = gzip.compress(json.dumps(head, sort_keys=True).encode() + b"\n" + body, mtime=0)
        replace_file(self.path(key), lambda partial: partial.write_bytes(packed))
        kept: dict[str, Any] = json.loads(body)
        return kept

    def get(self, key: str) -> dict[str, Any] | None:
        """Give what is kept under a key; None if there is nothing, or if the file is damaged."""
        try:
            head, _, body = gzip.decompress(self.path(key).read_bytes()).partition(b"\n")
            facts = json.loads(head)
            whole = facts["key"] == key and facts["sha256"] == hashlib.sha256(body).hexdigest()
            content = json.loads(body) if whole else None
        except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError):
            return None
        return content if isinstance(content, dict) else None

    def is_damaged(self, key: str) -> bool:
        """Tell whether there is a file under a key that cannot be used."""
        return self.path(key).exists() and self.get(key) is None

    def inputs(self) -> dict[str, Any]:
        """Give what the last run was computed from; empty if there was none."""
        try:
            found = json.loads((self.folder / INPUTS).read_bytes())
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def put_inputs(self, inputs: dict[str, Any]) -> None:
        """Write down what this run is computed from, and which file is which cell."""
        text = json.dumps(inputs, indent=1) + "\n"
        replace_file(self.folder / INPUTS, lambda partial: partial.write_text(text, encoding="utf-8"))
