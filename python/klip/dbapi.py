"""SQL by Python's database interface (PEP 249), on a store in a directory or a cluster. docs/sql.md has the language.

    with klip.dbapi.connect("klip:logins.store") as connection:
        cursor = connection.cursor()
        cursor.execute("SELECT name, visits FROM people WHERE day = ?", [date(2014, 6, 28)])
        for name, visits in cursor:
            ...

`connection.sql()` makes such a connection of a klip.Connection that is open.
"""

from __future__ import annotations

import datetime
import decimal
import json
import os
from typing import Any, Callable, Dict, Iterator, List, Mapping, NoReturn, Optional, Sequence, Tuple, Type, Union

from . import _klip, errors
from .arrow import BATCH_ROWS

apilevel = "2.0"
threadsafety = 1
paramstyle = "qmark"

Row = Tuple[Any, ...]
Description = Tuple[str, str, None, None, Optional[int], Optional[int], bool]


class Warning(Exception):
    """PEP 249 asks for it; klip has no warnings."""


class Error(Exception):
    """What went wrong. `number` is Phoenix's, 1012 for an undefined table, or 0; `sql_state` has five characters, or none."""

    number: int = 0
    sql_state: str = ""


class InterfaceError(Error):
    """Misuse of this interface: a closed cursor, or rows of a statement that returns none."""


class DatabaseError(Error):
    """An error of the statement or the store."""


class DataError(DatabaseError):
    """A value that is out of range or has the wrong type."""


class OperationalError(DatabaseError):
    """The store or cluster is missing, closed, too slow or damaged; or a statement was cancelled."""


class IntegrityError(DatabaseError):
    """A violated constraint: NOT NULL, the primary key, or a unique index."""


class InternalError(DatabaseError):
    pass


class ProgrammingError(DatabaseError):
    """The statement: its syntax, a name that is not known."""


class NotSupportedError(DatabaseError):
    """What klip does not have."""


# PEP 249's type objects: a column's type code, "VARCHAR(20)", equals one of them.
class _TypeObject:
    def __init__(self, *names: str) -> None:
        self.names = names

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and other.split("(")[0] in self.names

    def __hash__(self) -> int:
        return hash(self.names)


STRING = _TypeObject("VARCHAR", "CHAR")
BINARY = _TypeObject("VARBINARY", "BINARY")
NUMBER = _TypeObject(
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL", "UNSIGNED_TINYINT", "UNSIGNED_SMALLINT",
    "UNSIGNED_INT", "UNSIGNED_LONG", "UNSIGNED_FLOAT", "UNSIGNED_DOUBLE",
)  # fmt: skip
DATETIME = _TypeObject("DATE", "TIME", "TIMESTAMP", "UNSIGNED_DATE", "UNSIGNED_TIME", "UNSIGNED_TIMESTAMP")
ROWID = _TypeObject()

Date = datetime.date
Time = datetime.time
Timestamp = datetime.datetime
Binary = bytes


def DateFromTicks(ticks: float) -> datetime.date:
    return datetime.datetime.fromtimestamp(ticks).date()


def TimeFromTicks(ticks: float) -> datetime.time:
    return datetime.datetime.fromtimestamp(ticks).time()


def TimestampFromTicks(ticks: float) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(ticks)


# --- Errors ---

_BY_STATE: Dict[str, Type[Error]] = {  # by the class of the SQLSTATE
    "22": DataError,
    "23": IntegrityError,
    "0A": NotSupportedError,
    "42": ProgrammingError,
}
_BY_CLASS: Sequence[Tuple[Type[errors.Error], Type[Error]]] = (
    (errors.UnsupportedError, NotSupportedError),
    (errors.ConstraintViolationError, IntegrityError),
    (errors.InvalidArgumentError, ProgrammingError),
    (errors.TableNotFoundError, ProgrammingError),
)


def _raise(error: errors.Error) -> NoReturn:
    kind = _BY_STATE.get(error.sql_state[:2])
    if kind is None and error.sql_number:
        kind = ProgrammingError
    if kind is None:
        kind = next((ours for theirs, ours in _BY_CLASS if isinstance(error, theirs)), OperationalError)
    raised = kind(str(error))
    raised.number = error.sql_number
    raised.sql_state = error.sql_state
    raise raised from error


def _translated(call: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return call(*arguments)
    except errors.Error as error:
        _raise(error)


# --- Values ---

_EPOCH = datetime.datetime(1970, 1, 1)
_DECIMAL, _DATE, _TIME, _TIMESTAMP = 4, 7, 8, 9  # klip_value_type
_INT64 = range(-(2**63), 2**63)


def _ms_of(moment: datetime.datetime) -> Tuple[int, int]:
    """Milliseconds since 1970, and nanoseconds below; values with a time zone are converted to UTC."""
    if moment.tzinfo is not None:
        moment = moment.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    microseconds = (moment - _EPOCH) // datetime.timedelta(microseconds=1)
    return microseconds // 1000, microseconds % 1000 * 1000


def _to_native(value: Any) -> Any:
    if isinstance(value, bool) or value is None or isinstance(value, (str, bytes, float)):
        return value
    if isinstance(value, int):
        return value if value in _INT64 else (_DECIMAL, 0, 0, str(value))
    if isinstance(value, decimal.Decimal):
        return (_DECIMAL, 0, 0, format(value, "f"))
    if isinstance(value, datetime.datetime):
        return (_TIMESTAMP, *_ms_of(value), "")
    if isinstance(value, datetime.date):
        return (_DATE, _ms_of(datetime.datetime(value.year, value.month, value.day))[0], 0, "")
    if isinstance(value, datetime.time):
        return (_TIME, _ms_of(datetime.datetime.combine(_EPOCH.date(), value))[0], 0, "")
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    raise InterfaceError(f"a parameter cannot be of {type(value)}")


def _moment(ms: int, nanos: int = 0) -> datetime.datetime:
    return _EPOCH + datetime.timedelta(milliseconds=ms, microseconds=nanos // 1000)


def _date(ms: int) -> datetime.date:
    moment = _moment(ms)
    return moment.date() if moment.time() == datetime.time() else moment


def _time(ms: int) -> Union[datetime.time, datetime.datetime]:
    moment = _moment(ms)
    return moment.time() if moment.date() == _EPOCH.date() else moment


_FROM_NATIVE: Dict[str, Callable[[Any], Any]] = {
    "DECIMAL": decimal.Decimal,
    "DATE": _date,
    "UNSIGNED_DATE": _date,
    "TIME": _time,
    "UNSIGNED_TIME": _time,
    "TIMESTAMP": lambda value: _moment(*value),
    "UNSIGNED_TIMESTAMP": lambda value: _moment(*value),
}


def _converter(type: str) -> Optional[Callable[[Any], Any]]:
    """Of a column's values; None: they are right as they are."""
    convert = _FROM_NATIVE.get(type.split("(")[0].split(" ")[0])
    if convert is None:
        return None
    one = convert  # not None, for the checker of types
    if type.endswith("ARRAY"):
        return lambda items: None if items is None else [None if item is None else one(item) for item in items]
    return lambda value: None if value is None else one(value)


# --- Connections and cursors ---


def connect(
    uri: Union[str, os.PathLike[str]],
    *,
    autocommit: bool = False,
    schema: Optional[str] = None,
    threads: int = 0,
    tenant: Optional[str] = None,
    as_of: Optional[datetime.datetime] = None,
    **options: Any,
) -> Connection:
    """A separate connection; `options` are those of klip.connect. Changes are written by commit(), unless `autocommit` is set."""
    from .connection import connect as open

    opened = _translated(lambda: open(uri, **options))
    return Connection(
        opened._native,
        autocommit=autocommit,
        schema=schema,
        threads=threads,
        tenant=tenant,
        as_of=as_of,
        owned=opened,
    )


class Connection:
    """A session. One thread at a time uses it and its cursors; cancel() may come from any."""

    Warning = Warning
    Error = Error
    InterfaceError = InterfaceError
    DatabaseError = DatabaseError
    DataError = DataError
    OperationalError = OperationalError
    IntegrityError = IntegrityError
    InternalError = InternalError
    ProgrammingError = ProgrammingError
    NotSupportedError = NotSupportedError

    def __init__(
        self,
        native: _klip.Connection,
        *,
        autocommit: bool = False,
        schema: Optional[str] = None,
        threads: int = 0,
        memory_bytes: Optional[int] = None,
        tenant: Optional[str] = None,
        as_of: Optional[datetime.datetime] = None,
        owned: Any = None,
    ) -> None:
        as_of_ms = 0 if as_of is None else _ms_of(as_of)[0] or 1  # 0: now
        self._native: Optional[_klip.Sql] = _translated(
            native.sql, autocommit, schema, threads, memory_bytes, tenant, as_of_ms
        )
        self._autocommit = autocommit
        self._owned = owned

    def _session(self) -> _klip.Sql:
        if self._native is None:
            raise InterfaceError("the connection is closed")
        return self._native

    def cursor(self) -> Cursor:
        self._session()
        return Cursor(self)

    def execute(self, operation: str, parameters: Sequence[Any] = ()) -> Cursor:
        """A cursor that ran the statement."""
        return self.cursor().execute(operation, parameters)

    @property
    def autocommit(self) -> bool:
        return self._autocommit

    @autocommit.setter
    def autocommit(self, on: bool) -> None:
        _translated(self._session().set_auto_commit, on)
        self._autocommit = on

    def commit(self) -> None:
        _translated(self._session().commit)

    def rollback(self) -> None:
        _translated(self._session().rollback)

    def cancel(self) -> None:
        """Ends the statement that runs, with an OperationalError. From any thread."""
        self._session().cancel()

    def close(self) -> None:
        """Changes that were not committed are dropped. Its cursors raise InterfaceError from then on."""
        self._native = None
        if self._owned is not None:
            self._owned.close()

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], *_: object) -> None:
        """Commits waiting changes, unless the block ended with an exception, and closes."""
        try:
            if kind is None and self._native is not None and not self._autocommit:
                self.commit()
        finally:
            self.close()


class Cursor:
    """One statement at a time, and its rows."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.arraysize = 1
        self.description: Optional[List[Description]] = None
        self.rowcount = -1
        self._result: Optional[_klip.Result] = None
        self._converters: List[Optional[Callable[[Any], Any]]] = []
        self._rows: List[Row] = []  # fetched and not yet handed out, the last one first
        self._closed = False

    _FETCH_ROWS = 1024

    def execute(self, operation: str, parameters: Sequence[Any] = ()) -> Cursor:
        """Runs a statement; `parameters` are the values of its `?`. Returns the cursor."""
        session = self._open()
        self._take(_translated(session.execute, operation, _parameters(parameters)))
        return self

    def executemany(self, operation: str, seq_of_parameters: Any) -> Cursor:
        """Runs a statement that changes rows once for each of these; `rowcount` is their sum."""
        session = self._open()
        statement: Optional[_klip.Statement] = None
        total = 0
        for parameters in seq_of_parameters:
            if statement is None:
                statement = _translated(session.prepare, operation)
            self._take(_translated(statement.execute, _parameters(parameters)))
            if self.description is not None:
                raise InterfaceError("executemany only works with statements that return no rows")
            total += self.rowcount
        self._result = None
        self.description = None
        self._rows = []
        self.rowcount = total
        return self

    def fetchone(self) -> Optional[Row]:
        if not self._rows:
            self._rows = self._fetch(self._FETCH_ROWS)[::-1]
        return self._rows.pop() if self._rows else None

    def fetchmany(self, size: Optional[int] = None) -> List[Row]:
        wanted = self.arraysize if size is None else size
        rows: List[Row] = []
        while len(rows) < wanted:
            row = self.fetchone()
            if row is None:
                break
            rows.append(row)
        return rows

    def fetchall(self) -> List[Row]:
        rows, self._rows = self._rows[::-1], []
        while more := self._fetch(self._FETCH_ROWS):
            rows += more
        return rows

    def __iter__(self) -> Iterator[Row]:
        return self

    def __next__(self) -> Row:
        row = self.fetchone()
        if row is None:
            raise StopIteration
        return row

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The rows that were not fetched, as columns: hand the cursor to pyarrow, pandas, Polars or DuckDB. They are read once."""
        self._open()
        if self._result is None or self.description is None:
            raise InterfaceError("there are no rows to read")
        if self._rows:
            raise InterfaceError("some rows were fetched already")
        capsule: object = _translated(self._result.arrow, BATCH_ROWS)
        self._result = None
        return capsule

    def setinputsizes(self, sizes: object) -> None:
        """Does nothing, as PEP 249 allows."""

    def setoutputsize(self, size: int, column: Optional[int] = None) -> None:
        """Does nothing, as PEP 249 allows."""

    def close(self) -> None:
        self._closed = True
        self._result = None
        self._rows = []

    def __enter__(self) -> Cursor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> _klip.Sql:
        if self._closed:
            raise InterfaceError("the cursor is closed")
        return self.connection._session()

    def _take(self, result: _klip.Result) -> None:
        columns: List[Mapping[str, Any]] = json.loads(_translated(result.columns))
        self._result = result
        self._rows = []
        self._converters = [_converter(column["type"]) for column in columns]
        self.description = [_describe(column) for column in columns] or None
        self.rowcount = result.updated()

    def _fetch(self, count: int) -> List[Row]:
        self._open()
        if self._result is None or self.description is None:
            raise InterfaceError("there are no rows to fetch")
        rows: List[Row] = _translated(self._result.fetch, count, len(self._converters))
        if any(self._converters):
            rows = [
                tuple(value if convert is None else convert(value) for convert, value in zip(self._converters, row))
                for row in rows
            ]
        return rows


def _parameters(parameters: Sequence[Any]) -> List[Any]:
    if isinstance(parameters, (str, bytes, Mapping)):
        raise InterfaceError("parameters are a list or tuple, in the order of the ?")
    return [_to_native(value) for value in parameters]


def _describe(column: Mapping[str, Any]) -> Description:
    """(label, type, display size, internal size, precision, scale, may be NULL)"""
    type: str = column["type"]
    limits = type[type.index("(") + 1 : type.index(")")].split(",") if "(" in type else []
    precision = int(limits[0]) if limits else None
    scale = int(limits[1]) if len(limits) > 1 else None
    return (column["label"], type, None, None, precision, scale, column["nullable"])
