"""Tables: reading and writing rows."""

from __future__ import annotations

import json
import struct
from typing import (
    TYPE_CHECKING,
    Any,
    Dict,
    Iterable,
    List,
    Literal,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Type,
    Union,
    overload,
)

from . import _klip
from .arrow import BATCH_ROWS, ArrowRows, Columns, Stream, Targets, column_list as arrow_columns, written_columns
from .errors import Error, InvalidArgumentError
from .mutations import (
    Append,
    Bytes,
    Column,
    Condition,
    Delete,
    Durability,
    Increment,
    Mutation,
    Put,
    Value,
    column_list,
)
from .schema import Schema, query_text

if TYPE_CHECKING:
    from .connection import Connection

Row = Dict[bytes, bytes]
TimedRow = Dict[bytes, Tuple[bytes, int]]
Cells = List[_klip.Cell]
Where = Union[str, Dict[str, Any]]

_VALUES, _TIMED, _CELLS = 0, 1, 2
_MAX_INT32 = 2147483647


def _read(
    columns: Optional[Sequence[Column]] = None,
    timestamp: Optional[int] = None,
    time_range: Optional[Tuple[Optional[int], Optional[int]]] = None,
    versions: Optional[int] = 1,
    max_per_family: int = -1,
    offset_per_family: int = 0,
    filter: Optional[Bytes] = None,
    cache_blocks: bool = True,
    consistency: Literal["strong", "timeline"] = "strong",
    replica: Optional[int] = None,
) -> Tuple[Any, ...]:
    """What klip._klip takes of a get or scan."""
    low, high = time_range or (None, None)
    if consistency not in ("strong", "timeline"):
        raise ValueError(f"consistency is 'strong' or 'timeline', not {consistency!r}")
    if timestamp is not None:
        if time_range is not None:
            raise ValueError("timestamp and time_range exclude each other")
        high = timestamp
    return (
        columns,
        low,
        high,
        _MAX_INT32 if versions is None else versions,
        max_per_family,
        offset_per_family,
        filter,
        cache_blocks,
        consistency == "timeline",
        -1 if replica is None else replica,
    )


def _scan_arguments(
    rows: Tuple[Optional[Bytes], Optional[Bytes], Optional[Bytes]],
    where: Optional[Where],
    threads: int,
    *,
    include_start: bool = True,
    include_stop: bool = False,
    reverse: bool = False,
    limit: Optional[int] = None,
    batch: int = 0,
    raw: bool = False,
) -> Tuple[Any, ...]:
    """What klip._klip takes of a scan, after _read(). `rows`: row_start, row_stop and row_prefix."""
    start, stop, prefix = rows
    if prefix is not None and (start is not None or stop is not None):
        raise TypeError("row_prefix excludes row_start and row_stop")
    return (
        start or b"",
        stop or b"",
        include_start,
        include_stop,
        prefix or b"",
        reverse,
        _limit(limit),
        batch,
        raw,
        query_text(where) if where is not None else "",
        threads,
    )


class Table:
    """A table of a connection. Threads may share it.

    Rows, columns and values may be bytes or str (as UTF-8), and are returned as bytes. Columns are b"family:qualifier", or
    (family, qualifier); a family alone, "family", means all of its columns. Timestamps are milliseconds; a read with
    `timestamp` sees cells that are older, as in happybase, and `time_range=(low, high)` those in [low, high).
    """

    def __init__(self, connection: Connection, native: _klip.Table, name: str) -> None:
        self.connection = connection
        self.name = name
        self._native = native
        self._schema: Optional[Schema] = None

    def __repr__(self) -> str:
        return f"<klip.Table {self.name!r}>"

    # --- Reading ---

    @overload
    def row(
        self,
        row: Bytes,
        columns: Optional[Sequence[Column]] = ...,
        timestamp: Optional[int] = ...,
        include_timestamp: Literal[False] = ...,
        **options: Any,
    ) -> Row: ...

    @overload
    def row(
        self,
        row: Bytes,
        columns: Optional[Sequence[Column]] = ...,
        timestamp: Optional[int] = ...,
        *,
        include_timestamp: Literal[True],
        **options: Any,
    ) -> TimedRow: ...

    def row(
        self,
        row: Bytes,
        columns: Optional[Sequence[Column]] = None,
        timestamp: Optional[int] = None,
        include_timestamp: bool = False,
        **options: Any,
    ) -> Any:
        """The newest values of a row, {b"family:qualifier": value}; with `include_timestamp` (value, timestamp). A row that does
        not exist is empty.

        Options: time_range, filter (HBase's filter language), max_per_family, offset_per_family, cache_blocks, and
        consistency="timeline": region replicas may answer too, or only number `replica`. They may be behind: Cell.stale.
        """
        read = None
        if columns is not None or timestamp is not None or options:
            read = _read(columns, timestamp, **options)
        return self._native.get(_TIMED if include_timestamp else _VALUES, row, read, False)

    def cells(
        self,
        row: Bytes,
        column: Optional[Union[Column, List[Column]]] = None,
        versions: Optional[int] = None,
        timestamp: Optional[int] = None,
        **options: Any,
    ) -> Cells:
        """Versions of a column, of several (a list), or of the whole row, newest first; None: all versions. Options as of row()."""
        columns: Optional[List[Column]] = None
        if column is not None:
            columns = column if isinstance(column, list) else [column]
        cells: Cells = self._native.get(_CELLS, row, _read(columns, timestamp, versions=versions, **options), False)
        return cells

    def exists(self, row: Bytes, columns: Optional[Sequence[Column]] = None, **options: Any) -> bool:
        """Has the row any cell, or any of these columns? Options as of row()."""
        found: bool = self._native.get(_VALUES, row, _read(columns, **options), True)
        return found

    def rows(
        self,
        rows: Iterable[Bytes],
        columns: Optional[Sequence[Column]] = None,
        timestamp: Optional[int] = None,
        include_timestamp: bool = False,
        **options: Any,
    ) -> List[Tuple[bytes, Any]]:
        """Several rows at once: (row, values) of those that exist, in the order asked for. Options as of row()."""
        keys = [row.encode() if isinstance(row, str) else bytes(row) for row in rows]
        read = _read(columns, timestamp, **options)
        found = self._native.multi_get(_TIMED if include_timestamp else _VALUES, keys, read)
        return [(key, row) for key, row in zip(keys, found) if row]

    def scan(
        self,
        row_start: Optional[Bytes] = None,
        row_stop: Optional[Bytes] = None,
        row_prefix: Optional[Bytes] = None,
        columns: Optional[Sequence[Column]] = None,
        filter: Optional[Bytes] = None,
        timestamp: Optional[int] = None,
        include_timestamp: bool = False,
        *,
        where: Optional[Where] = None,
        limit: Optional[int] = None,
        reverse: bool = False,
        cells: bool = False,
        versions: Optional[int] = 1,
        raw: bool = False,
        batch: int = 0,
        threads: int = 1,
        include_start: bool = True,
        include_stop: bool = False,
        **options: Any,
    ) -> _klip.Scanner:
        """Rows in key order, as an iterator of (row key, values).

        row_start, row_stop  first row, and end of the range (excluded); with `reverse` from the upper end down. Or row_prefix
        where                conditions on key fields and columns: "date=20140628 f:city=berlin", {"date": 20140628, "f:city": ["a", "b"]}
        filter               HBase's filter language: "ValueFilter(=, 'binary:abc')"
        limit                maximum number of rows, 1 or more
        cells                lists of Cells instead of dicts, with `versions` of each column (None: all)
        raw                  include delete markers and masked cells; with cells=True
        batch                maximum number of cells at once: a long row comes in pieces
        threads              workers, 0: one per core; rows still come in order

        Other options as in row(). The iterator fetches rows on demand; to end early, close() it or use it in `with`.
        """
        form = _CELLS if cells else _TIMED if include_timestamp else _VALUES
        read = _read(columns, timestamp, versions=versions, filter=filter, **options)
        return self._native.scan(
            form,
            read,
            *_scan_arguments(
                (row_start, row_stop, row_prefix),
                where,
                threads,
                include_start=include_start,
                include_stop=include_stop,
                reverse=reverse,
                limit=limit,
                batch=batch,
                raw=raw,
            ),
        )

    def arrow(
        self,
        columns: Optional[Columns] = None,
        *,
        where: Optional[Where] = None,
        row_start: Optional[Bytes] = None,
        row_stop: Optional[Bytes] = None,
        row_prefix: Optional[Bytes] = None,
        filter: Optional[Bytes] = None,
        limit: Optional[int] = None,
        reverse: bool = False,
        threads: int = 1,
        key_fields: bool = True,
        all_cells: bool = False,
        batch_rows: int = BATCH_ROWS,
        **options: Any,
    ) -> ArrowRows:
        """The rows of a scan as columns for pyarrow, pandas, Polars and DuckDB, which read the object directly.

        columns     {"d:visits": "i64", "d:from": "text"}, with types of docs/keys.md, and f32, f64, boolean; or a list of names, of
                    bytes. With columns, rows that have at least one of them
        key_fields  also a column for each field of the row key; without a schema the column "row"
        all_cells   also a column "cells", a map of all cells
        batch_rows  maximum number of rows at a time

        The other options are those of scan(). A value that does not fit its column's type is an error that names the row.
        """
        return ArrowRows(
            self._native,
            (
                arrow_columns(columns),
                key_fields,
                all_cells,
                batch_rows,
                _read(filter=filter, **options),
                *_scan_arguments((row_start, row_stop, row_prefix), where, threads, reverse=reverse, limit=limit),
            ),
        )

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The whole table: the fields of the row key, and a column "cells" that maps all cells. arrow() has columns of their types."""
        return self.arrow(all_cells=True).__arrow_c_stream__(requested_schema)

    def write_arrow(self, data: Stream, columns: Targets) -> int:
        """Puts the rows of an Arrow table or frame, and returns how many.

        columns  where each column of the data goes, and as which type: {"visits": ("d:visits", "i64"), "from": "d:from"}

        Columns named as fields of the row key make the key; without a schema the column "row" is the key. A null writes nothing. An
        error names the column, and the row if one value is to blame: those before it may be written.
        """
        return self._native.write_arrow(data.__arrow_c_stream__(), written_columns(columns))

    def count(
        self,
        row_start: Optional[Bytes] = None,
        row_stop: Optional[Bytes] = None,
        row_prefix: Optional[Bytes] = None,
        columns: Optional[Sequence[Column]] = None,
        filter: Optional[Bytes] = None,
        *,
        where: Optional[Where] = None,
        threads: int = 1,
    ) -> int:
        """How many rows such a scan would return. Does not read values if keys suffice, and answers from the files' counts if it can."""
        return self._native.count(
            _read(columns, filter=filter), *_scan_arguments((row_start, row_stop, row_prefix), where, threads)
        )

    def explain(
        self,
        row_start: Optional[Bytes] = None,
        row_stop: Optional[Bytes] = None,
        row_prefix: Optional[Bytes] = None,
        *,
        where: Optional[Where] = None,
        filter: Optional[Bytes] = None,
        limit: Optional[int] = None,
        reverse: bool = False,
    ) -> Dict[str, Any]:
        """The plan of that scan: "kind" is e.g. "skip scan". Reads only statistics, no rows.

        scanner.explain(True) returns the plan of a scan that ran as text, with its figures; scanner.explain(False) as JSON.
        """
        text = self._native.explain(
            False,
            _read(filter=filter),
            *_scan_arguments((row_start, row_stop, row_prefix), where, 1, reverse=reverse, limit=limit),
        )
        explain: Dict[str, Any] = json.loads(text)
        return explain

    def first_row(self) -> Optional[Tuple[bytes, Row]]:
        """The first row, in one seek; None when the table is empty."""
        return self._edge_row(last=False)

    def last_row(self) -> Optional[Tuple[bytes, Row]]:
        """The last row, in one seek."""
        return self._edge_row(last=True)

    def _edge_row(self, last: bool) -> Optional[Tuple[bytes, Row]]:
        row: Optional[Tuple[bytes, Row]] = self._native.edge_row(_VALUES, last)
        return row

    # --- Writing: each call is atomic for its row ---

    def put(
        self,
        row: Bytes,
        data: Mapping[Any, Value],
        timestamp: Optional[int] = None,
        ttl_ms: int = 0,
        durability: Durability = Durability.USE_DEFAULT,
    ) -> None:
        """Writes columns of a row: {b"d:name": b"Alice"}; a value may be (bytes, timestamp)."""
        self._native.mutate(_VALUES, (Put(row, data, timestamp, ttl_ms, durability).native(),))

    def put_all(self, puts: Iterable[Put]) -> None:
        """Writes many puts in few commits: the fast way. On an error, those before it may be written."""
        self._native.put_all([put.native() for put in puts])

    def delete(
        self,
        row: Bytes,
        columns: Optional[Sequence[Column]] = None,
        timestamp: Optional[int] = None,
        exact: bool = False,
    ) -> None:
        """Deletes a row, or columns and families of it; see Delete. With an empty list nothing."""
        if columns is None or (columns := column_list(columns)):
            self.mutate(Delete(row, columns, timestamp, exact))

    def increment(self, row: Bytes, amounts: Mapping[Any, int]) -> Dict[bytes, int]:
        """Adds to counters, {b"d:visits": 1}, and returns their new values."""
        written: Row = self._native.mutate(_VALUES, [Increment(row, amounts).native()])
        return {column: _counter(value) for column, value in written.items()}

    def append(self, row: Bytes, data: Mapping[Any, Bytes]) -> Row:
        """Appends to values, and returns the new ones."""
        written: Row = self._native.mutate(_VALUES, [Append(row, data).native()])
        return written

    def mutate(self, *mutations: Mutation) -> Row:
        """Applies mutations of one row, in order, as one atomic step. Returns what increments and appends wrote."""
        written: Row = self._native.mutate(_VALUES, [mutation.native() for mutation in mutations])
        return written

    def check_and_mutate(self, row: Bytes, condition: Condition, *mutations: Mutation) -> bool:
        """Applies the mutations of the row, as one atomic step, if the condition holds. Returns whether it held."""
        met, _ = self._native.check_and_mutate(row, condition.native(), [mutation.native() for mutation in mutations])
        return met

    def check_and_put(self, row: Bytes, column: Column, value: Optional[Bytes], data: Mapping[Any, Value]) -> bool:
        """Puts if the column has the value; with None, if the column is absent."""
        return self.check_and_mutate(row, Condition(column, value), Put(row, data))

    def prepend(
        self,
        column: Column,
        data: Mapping[Any, Value],
        last_key: int = 0x7FFFFFFFFFFFFFFF,
        durability: Durability = Durability.USE_DEFAULT,
    ) -> int:
        """Inserts a row before the first one of a table whose keys are 8-byte numbers counting down from `last_key`, and returns its
        key. `column` is one that every row has, `data` too. Any number of callers may do so at once."""
        return self._native.prepend(column, dict(data), last_key, durability)

    def batch(
        self,
        timestamp: Optional[int] = None,
        batch_size: Optional[int] = None,
        transaction: bool = False,
        durability: Durability = Durability.USE_DEFAULT,
    ) -> Batch:
        """Collects writes and sends them together: `with table.batch() as batch: batch.put(...)`."""
        return Batch(self, timestamp, batch_size, transaction, durability)

    # --- Counters, as happybase has them ---

    def counter_get(self, row: Bytes, column: Column) -> int:
        return _counter(next(iter(self.row(row, [column]).values()), b"\0" * 8))

    def counter_set(self, row: Bytes, column: Column, value: int = 0) -> None:
        self.put(row, {column: struct.pack(">q", value)})

    def counter_inc(self, row: Bytes, column: Column, value: int = 1) -> int:
        return next(iter(self.increment(row, {column: value}).values()))

    def counter_dec(self, row: Bytes, column: Column, value: int = 1) -> int:
        return self.counter_inc(row, column, -value)

    # --- About the table ---

    @property
    def schema(self) -> Schema:
        """The table's row-key schema. Raises InvalidArgumentError when it has none."""
        native = self._native.schema()
        if native is None:
            raise InvalidArgumentError(f"table {self.name!r} has no row-key schema (create_table(row_key=...))")
        if self._schema is None or str(self._schema) != native.text():
            self._schema = Schema(native)
        return self._schema

    def statistics(self) -> Dict[str, Any]:
        """Rows, cells and bytes, and how many different values the key fields have; rows still in memory are not in it."""
        statistics: Dict[str, Any] = json.loads(self._native.statistics())
        return statistics

    def distinct_keys(self, fields: int = 1, count_rows: bool = False) -> List[Tuple[Tuple[str, ...], int]]:
        """The different values of the first key fields, in key order, found by jumps: [(("alice",), rows), ...]. Rows are 0
        unless they are counted, which reads the keys of all rows."""
        keys = json.loads(self._native.distinct_keys(fields, count_rows))
        return [(tuple(key["values"]), key["rows"]) for key in keys]

    def families(self) -> Dict[str, Dict[str, Any]]:
        """The settings of each family."""
        return self.connection.families(self.name)

    def regions(self) -> List[Dict[str, Any]]:
        return self.connection.regions(self.name)


def _limit(limit: Optional[int]) -> int:
    """As klip._klip takes it, to which 0 is no limit."""
    if limit is not None and limit < 1:
        raise ValueError("limit must be above 0")
    return limit or 0


def _counter(value: bytes) -> int:
    number: int = struct.unpack(">q", value)[0]
    return number


class Batch:
    """Writes that are sent together: at the end of the `with` block, by send(), or whenever there are `batch_size` of them.
    After an exception in the block, unsent writes are dropped if `transaction` is set, and otherwise sent.

    Each row's writes are atomic, but the batch is not: for that, use Connection.apply(). If writes fail, the others are done, and
    the first failure is raised.
    """

    def __init__(
        self,
        table: Table,
        timestamp: Optional[int],
        batch_size: Optional[int],
        transaction: bool,
        durability: Durability,
    ) -> None:
        if batch_size is not None and (transaction or batch_size < 1):
            raise ValueError("batch_size must be above 0, and a transaction has none")
        self._table = table
        self._timestamp = timestamp
        self._batch_size = batch_size
        self._transaction = transaction
        self._durability = durability
        self._mutations: List[Any] = []

    def put(self, row: Bytes, data: Mapping[Any, Value]) -> None:
        self.add(Put(row, data, self._timestamp, durability=self._durability))

    def delete(self, row: Bytes, columns: Optional[Sequence[Column]] = None) -> None:
        """As Table.delete."""
        if columns is None or (columns := column_list(columns)):
            self.add(Delete(row, columns, self._timestamp, durability=self._durability))

    def add(self, mutation: Mutation) -> None:
        """Any mutation; its own timestamp and durability count."""
        self._mutations.append(mutation.native())
        if self._batch_size is not None and len(self._mutations) >= self._batch_size:
            self.send()

    def send(self) -> None:
        mutations, self._mutations = self._mutations, []
        if mutations:
            for outcome in self._table._native.batch(_VALUES, mutations):
                if isinstance(outcome, Error):
                    raise outcome

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], *_: object) -> None:
        if kind is None or not self._transaction:
            self.send()
