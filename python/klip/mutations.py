"""What to write: Put, Delete, Increment, Append, and the condition of a check-and-mutate.

Rows, columns and values are bytes, or str as UTF-8. A column is b"family:qualifier" or (family, qualifier).
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any, List, Mapping, Optional, Sequence, Tuple, Union

Bytes = Union[bytes, bytearray, memoryview, str]
Column = Union[Bytes, Tuple[Bytes, Optional[Bytes]]]
Value = Union[Bytes, Tuple[Bytes, Optional[int]]]

# (kind, row, changes, timestamp, ttl_ms, durability, return_results), as klip._klip takes it.
Native = Tuple[int, Bytes, Any, Optional[int], int, int, bool]


class Durability(enum.IntEnum):
    """What an acknowledged write has survived."""

    USE_DEFAULT = 0
    SKIP_WAL = 1
    """Nothing: it is lost with the process unless it was flushed."""
    ASYNC_WAL = 2
    SYNC_WAL = 3
    """As `connect(sync_wal=...)` says."""
    FSYNC_WAL = 4
    """Power loss."""


@dataclass
class Put:
    """Values for columns of a row: {b"d:name": b"Alice"}; a value may be (bytes, timestamp)."""

    row: Bytes
    data: Mapping[Any, Value]  # by Column
    timestamp: Optional[int] = None  # milliseconds; None: now
    ttl_ms: int = 0  # 0: only the family's
    durability: Durability = Durability.USE_DEFAULT

    def native(self) -> Native:
        return (1, self.row, dict(self.data), self.timestamp, self.ttl_ms, self.durability, False)


def column_list(columns: Sequence[Column]) -> List[Column]:
    """A text is a sequence too, but of columns that nobody meant: "fg" would be two families."""
    if isinstance(columns, (bytes, bytearray, memoryview, str)):
        raise TypeError(f"columns is a list, not {type(columns).__name__}")
    return list(columns)


@dataclass
class Delete:
    """Deletes the row, or parts of it: b"d:name" is a column with all its versions, b"d" a family. Up to the timestamp, or, with
    `exact`, only at that timestamp (without a timestamp: the newest version). Using an empty list raises a ValueError."""

    row: Bytes
    columns: Optional[Sequence[Column]] = None
    timestamp: Optional[int] = None
    exact: bool = False
    durability: Durability = Durability.USE_DEFAULT

    def native(self) -> Native:
        markers = None
        if self.columns is not None:
            markers = [(column, self.timestamp, self.exact) for column in column_list(self.columns)]
            if not markers:  # which HBase, and klip beneath, take as the whole row
                raise ValueError("a Delete without columns: use None for the whole row")
        return (2, self.row, markers, self.timestamp, 0, self.durability, False)


@dataclass
class Increment:
    """Adds to counters: {b"d:visits": 1}. An absent column counts from 0."""

    row: Bytes
    amounts: Mapping[Any, int]  # by Column
    ttl_ms: int = 0
    durability: Durability = Durability.USE_DEFAULT
    return_results: bool = True

    def native(self) -> Native:
        return (3, self.row, dict(self.amounts), None, self.ttl_ms, self.durability, self.return_results)


@dataclass
class Append:
    """Appends to values: {b"d:log": b"more"}."""

    row: Bytes
    data: Mapping[Any, Bytes]  # by Column
    ttl_ms: int = 0
    durability: Durability = Durability.USE_DEFAULT
    return_results: bool = True

    def native(self) -> Native:
        return (4, self.row, dict(self.data), None, self.ttl_ms, self.durability, self.return_results)


Mutation = Union[Put, Delete, Increment, Append]

_OPERATORS = {"<": 0, "<=": 1, "=": 2, "==": 2, "!=": 3, ">=": 4, ">": 5}


@dataclass
class Condition:
    """What must hold of a row: of a column, or that a filter lets a cell pass.

    As in HBase the test is "value OP cell": ">" holds when `value` is above the cell. With `value` None the column must not be there.
    """

    column: Optional[Column] = None
    value: Optional[Bytes] = None
    op: str = "="
    filter: Optional[Bytes] = None

    def native(self) -> Tuple[Optional[Column], int, Optional[Bytes], Optional[Bytes]]:
        if self.op not in _OPERATORS:
            raise ValueError(f"no operator {self.op!r}: one of {' '.join(_OPERATORS)}")
        if (self.column is None) == (self.filter is None):
            raise ValueError("a condition has either a column or a filter")
        return (self.column, _OPERATORS[self.op], self.value, self.filter)
