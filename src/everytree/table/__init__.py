"""Training and test tables: columns, encoding to float32, labels, files.

The first room of everytree. Data flows from here to bias models and node counts, never back.
"""

from __future__ import annotations

from everytree.table.close_values import CloseValues, close_values
from everytree.table.encoding import encode_added, test_table, training_table
from everytree.table.gaps import check_gaps
from everytree.table.reading import read_table, split_label
from everytree.table.structure import Column, TestTable, TrainingTable

__all__ = [
    "CloseValues",
    "Column",
    "TestTable",
    "TrainingTable",
    "check_gaps",
    "close_values",
    "encode_added",
    "read_table",
    "split_label",
    "test_table",
    "training_table",
]
