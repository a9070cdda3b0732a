"""Tables as Apache Arrow columns, which pandas, Polars, DuckDB and pyarrow read without a connector."""

from __future__ import annotations

from typing import Any, List, Mapping, Optional, Protocol, Sequence, Tuple, Union

from . import _klip
from .mutations import Column

# "d:visits", ("d", "visits"); or the column with the type of its values, {"d:visits": "i64"}.
Columns = Union[Sequence[Column], Mapping[Any, Optional[str]]]

# Where a column of Arrow goes: "d:visits", ("d", "visits"), or one of these with its type, ("d:visits", "i64").
Targets = Mapping[str, Union[Column, Tuple[Column, str]]]

BATCH_ROWS = 32768


class Stream(Protocol):
    """Objects with Arrow's C stream interface: tables and frames of pyarrow, pandas, Polars and DuckDB."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


class ArrowRows:
    """The rows of a scan, as columns. Each library that reads them starts a new scan: pass it to `pyarrow.table`, `polars.from_arrow`,
    `pandas.DataFrame.from_arrow`, or name the variable in a query of DuckDB."""

    def __init__(self, native: _klip.Table, arguments: Tuple[Any, ...]) -> None:
        self._native = native
        self._arguments = arguments

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Arrow's C stream interface. Ignores `requested_schema`: the reader converts."""
        return self._native.scan_arrow(*self._arguments)


def column_list(columns: Optional[Columns]) -> List[Tuple[Column, Optional[str], Optional[str]]]:
    """As klip._klip takes them: (column, type, name)."""
    if columns is None:
        return []
    if isinstance(columns, Mapping):
        return [(column, type, None) for column, type in columns.items()]
    if isinstance(columns, (str, bytes)):
        raise TypeError("columns is a list of columns or a dict of their types, not " + type(columns).__name__)
    return [(column, None, None) for column in columns]


def written_columns(columns: Targets) -> List[Tuple[Column, Optional[str], str]]:
    """The same for writes: {"visits": ("d:visits", "i64"), "from": "d:from"}."""
    out: List[Tuple[Column, Optional[str], str]] = []
    for name, target in columns.items():
        column: Any = target
        type: Optional[str] = None
        # A pair is (column, type) unless it is (family, qualifier), which has no colon.
        if isinstance(target, tuple) and (isinstance(target[0], tuple) or _has_colon(target[0])):
            column, type = target[0], str(target[1])
        out.append((column, type, name))
    return out


def _has_colon(column: Any) -> bool:
    return (b":" if isinstance(column, (bytes, bytearray)) else ":") in column
