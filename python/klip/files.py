"""Tables to and from files that analytic tools read: Parquet, and Arrow's IPC files. Needs pyarrow (pip install pyarrow), which writes
and reads them.

    klip.files.export_table(table, "logins.parquet", columns={"d:visits": "i64"})
    klip.files.import_table(table, "logins.parquet")

`klip export --format parquet` and `klip import --format parquet` of the program run this module.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, Tuple

from .arrow import Columns, Targets, column_list
from .connection import connect
from .errors import Error, InvalidArgumentError
from .table import Table

Format = Literal["parquet", "arrow"]

_COLUMNS = b"klip.columns"  # of a file's metadata: {"visits": ["d:visits", "i64"], ...}, which an import goes by
_ROW_GROUP_ROWS = 131072


def _pyarrow(part: str = "") -> Any:
    try:
        return importlib.import_module("pyarrow" + part)
    except ImportError as error:
        raise ImportError("Parquet and Arrow files need pyarrow: pip install pyarrow") from error


def export_table(
    table: Table,
    path: str,
    *,
    format: Optional[Format] = None,
    columns: Optional[Columns] = None,
    partition_by: Optional[str] = None,
    **scan: Any,
) -> int:
    """Writes the rows of a scan into a file, and returns how many. Memory holds one row group, whatever the table's size.

    format        "parquet" or "arrow"; None: by the path's ending, .parquet, .arrow or .feather
    columns       as Table.arrow takes them, {"d:visits": "i64"}. None: a column "cells", a map of all cells
    partition_by  a field of the row key or a column: `path` becomes a directory of files, day=2014-06-28/part-0.parquet
    scan          where, row_start, limit, threads, ... of Table.arrow

    The newest version of each cell is written, and is on disk when this returns. import_table reads the file back. A symbolic link
    is followed; a pipe or a device is written to.
    """
    pyarrow = _pyarrow()
    rows = table.arrow(columns, all_cells=columns is None, **scan)
    reader = pyarrow.RecordBatchReader.from_stream(rows)
    names = list(reader.schema.names)[-len(column_list(columns)) :] if columns else []
    targets = {name: [_text(column), type or "bytes"] for name, (column, type, _) in zip(names, column_list(columns))}
    schema = reader.schema.with_metadata({_COLUMNS: json.dumps(targets).encode()})
    kind = _format_of(path, format)
    counted = _Counted(pyarrow, reader, schema)
    if partition_by is not None:
        _write_partitions(pyarrow, counted.reader, path, kind, partition_by)
        return counted.rows
    target = os.path.realpath(path)  # of a symbolic link, what it points to
    if os.path.exists(target) and not os.path.isfile(target):  # a pipe or a device
        with open(target, "wb") as device:
            _write(pyarrow, counted.reader, kind, device)
        return counted.rows
    temporary = target + ".unfinished"
    try:
        with open(temporary, "wb") as file:
            _write(pyarrow, counted.reader, kind, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
        _sync_directory(os.path.dirname(target))
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)
    return counted.rows


def import_table(
    table: Table, path: str, *, format: Optional[Format] = None, columns: Optional[Targets] = None
) -> int:
    """Puts the rows of a file, or of a directory of files as export_table and others partition it, and returns how many.

    columns  as Table.write_arrow takes them, {"visits": ("d:visits", "i64")}. None: as the file says that klip exported
    """
    pyarrow_dataset = _pyarrow(".dataset")
    kind = format or _format_of(path, None, directory_is="parquet")
    _check_files(path)
    # A field that is partitioned by is text in the names of directories, and the row key reads it as text.
    partitioning = pyarrow_dataset.HivePartitioning.discover(infer_dictionary=False)
    dataset = pyarrow_dataset.dataset(path, format=kind, partitioning=partitioning)
    if columns is None:
        stored = (dataset.schema.metadata or {}).get(_COLUMNS)
        if stored is None:
            raise ValueError(f"{path} was not exported by klip, so give its columns: columns={{'name': ('d:name', 'text')}}")
        named: Dict[str, Any] = json.loads(stored)
        columns = {name: (_bytes(column), type) for name, (column, type) in named.items()}
    return table.write_arrow(dataset.scanner(use_threads=False, batch_readahead=2, fragment_readahead=1).to_reader(), columns)


class _Counted:
    """A reader of the same batches, which counts their rows."""

    def __init__(self, pyarrow: Any, reader: Any, schema: Any) -> None:
        self.rows = 0

        def batches() -> Any:
            for batch in reader:
                self.rows += batch.num_rows
                yield batch

        self.reader = pyarrow.RecordBatchReader.from_batches(schema, batches())


def _write(pyarrow: Any, reader: Any, kind: Format, file: Any) -> None:
    if kind == "parquet":
        _write_parquet(reader, file)
        return
    with pyarrow.ipc.new_file(file, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)


def _sync_directory(path: str) -> None:
    directory = os.open(path or ".", os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def _check_files(path: str) -> None:
    """Refuses what a read might never end of, in place of a file in a directory."""
    for directory, _, names in os.walk(path):
        for name in names:
            file = os.path.join(directory, name)
            if not os.path.isfile(file):
                raise ValueError(f"{file} is not a regular file")


def _write_parquet(reader: Any, file: Any) -> None:
    pyarrow = _pyarrow()
    with _pyarrow(".parquet").ParquetWriter(file, reader.schema, compression="zstd") as writer:
        pending: List[Any] = []
        for batch in reader:
            pending.append(batch)
            if sum(one.num_rows for one in pending) >= _ROW_GROUP_ROWS or sum(one.nbytes for one in pending) > 64 << 20:
                writer.write_table(pyarrow.Table.from_batches(pending))
                pending = []
        if pending:
            writer.write_table(pyarrow.Table.from_batches(pending))


def _write_partitions(pyarrow: Any, reader: Any, path: str, kind: Format, field: str) -> None:
    if field not in reader.schema.names:
        raise ValueError(f"no column {field!r} to partition by; the columns are {', '.join(reader.schema.names)}")
    if os.path.exists(path) and (not os.path.isdir(path) or os.listdir(path)):
        raise ValueError(f"{path} exists; partitions need a new or an empty directory")
    dataset = _pyarrow(".dataset")
    dataset.write_dataset(
        reader,
        path,
        format=kind,
        partitioning=dataset.partitioning(pyarrow.schema([reader.schema.field(field)]), flavor="hive"),
        max_partitions=100_000,
        max_open_files=256,
        use_threads=False,
    )
    os.makedirs(path, exist_ok=True)  # of no rows, there are no files
    for directory, _, names in os.walk(path, topdown=False):
        for name in names:
            with open(os.path.join(directory, name), "rb") as written:
                os.fsync(written.fileno())
        _sync_directory(directory)
    _sync_directory(os.path.dirname(os.path.realpath(path)))


def _format_of(path: str, format: Optional[str], directory_is: Format = "parquet") -> Format:
    if format in ("parquet", "arrow"):
        return "parquet" if format == "parquet" else "arrow"
    if path.endswith(".parquet"):
        return "parquet"
    if path.endswith((".arrow", ".feather")):
        return "arrow"
    if os.path.isdir(path):
        return directory_is
    raise ValueError(f"{path}: say the format, parquet or arrow")


def _text(column: Any) -> str:
    """ "family:qualifier". Bytes that are not UTF-8 become lone surrogates, which JSON keeps, and _bytes reads back."""
    parts = column if isinstance(column, tuple) else (column,)
    return ":".join(part if isinstance(part, str) else bytes(part).decode("utf-8", "surrogateescape") for part in parts)


def _bytes(column: str) -> bytes:
    return column.encode("utf-8", "surrogateescape")


# --- The program ---


def _columns(text: Optional[str], table: Table) -> Optional[Dict[str, str]]:
    """ "d:visits i64,d:from" as columns and their types. Key fields are always there, so their names say nothing more."""
    if not text:
        return None
    try:
        keys = [field.name for field in table.schema.fields]
    except InvalidArgumentError:  # it has no schema
        keys = ["row"]
    columns: Dict[str, str] = {}
    for one in text.split(","):
        column, _, type = one.strip().rpartition(" ")
        column, type = (column.strip(), type) if column else (type, "")
        family, _, qualifier = column.partition(":")
        word = qualifier.rpartition(":")[2]
        if not type and column in keys:
            continue
        if not type and ":" in qualifier and word.isidentifier() and word.isascii():
            raise ValueError(
                f"column {column!r}: a type follows a blank, '{family}:{qualifier.rpartition(':')[0]} i32'; if the qualifier is {qualifier!r}, "
                f"write '{column} bytes'"
            )
        if ":" not in column:
            raise ValueError(f"{column!r} is not a family:qualifier" + (f" or key field: {', '.join(keys)}" if keys else ""))
        if column in columns:
            raise ValueError(f"the column {column!r} is named twice")
        columns[column] = type or "bytes"
    return columns


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python3 -m klip.files", description="Tables to and from Parquet and Arrow files.")
    parser.add_argument("command", choices=("export", "import"))
    parser.add_argument("store", help="a directory, or the URI of a cluster")
    parser.add_argument("table")
    parser.add_argument("path")
    parser.add_argument("--format", choices=("parquet", "arrow"), help="default: by the path's ending")
    parser.add_argument("--columns", help="export: 'd:visits i64,d:from text'; default all cells, as a map")
    parser.add_argument("--partition-by", metavar="FIELD", help="export: into a directory for each of its values")
    parser.add_argument("--where", help="export: conditions on key fields and columns")
    parser.add_argument("--start", help="export: first row")
    parser.add_argument("--stop", help="export: end of the range, not included")
    parser.add_argument("--prefix", help="export: only rows that start with this")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--threads", type=int, default=1)
    return parser


def main(arguments: Optional[Sequence[str]] = None) -> int:
    asked = _parser().parse_args(arguments)
    uri = asked.store if ":" in asked.store and not os.path.exists(asked.store) else "klip:" + asked.store
    try:
        with connect(uri, create_if_missing=False) as connection:
            table = connection.table(asked.table)
            if asked.command == "import":
                rows = import_table(table, asked.path, format=asked.format, columns=_targets(_columns(asked.columns, table)))
                print(f"imported {rows:,} rows")
                return 0
            columns = _columns(asked.columns, table)
            rows = export_table(
                table,
                asked.path,
                format=asked.format,
                columns=columns,
                partition_by=asked.partition_by,
                where=asked.where,
                row_start=asked.start,
                row_stop=asked.stop,
                row_prefix=asked.prefix,
                limit=asked.limit,
                threads=asked.threads,
            )
            print(f"exported {rows:,} rows" + (f": no row has {' or '.join(columns)}" if columns and rows == 0 else ""))
            return 0
    except (Error, ImportError, ValueError, OSError) as error:
        print(f"klip: {error}", file=sys.stderr)
        return 3


def _targets(columns: Optional[Dict[str, str]]) -> Optional[Mapping[str, Tuple[str, str]]]:
    """Columns of a file by their qualifier: 'd:visits i64' is written from its column visits."""
    if columns is None:
        return None
    targets = {column.partition(":")[2]: (column, type) for column, type in columns.items()}
    if len(targets) < len(columns):
        raise ValueError("two of the columns have the same qualifier: klip.files.import_table takes the names of the file's columns")
    return targets


if __name__ == "__main__":
    sys.exit(main())
