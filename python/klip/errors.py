"""The exceptions of klip: one for each of HBase's that it knows, all of them Errors."""

from __future__ import annotations

from typing import Dict, Type

__all__ = [
    "CancelledError",
    "ConstraintViolationError",
    "CorruptionError",
    "DoNotRetryError",
    "Error",
    "IncompatibleFilterError",
    "InvalidArgumentError",
    "InvalidFamilyOperationError",
    "IoError",
    "NamespaceExistsError",
    "NamespaceNotFoundError",
    "NewerFormatError",
    "NoSuchColumnFamilyError",
    "NotServingRegionError",
    "OperationConflictError",
    "ReadOnlyError",
    "RegionTooBusyError",
    "RowTooBigError",
    "SnapshotExistsError",
    "SnapshotNotFoundError",
    "StoreInUseError",
    "TableExistsError",
    "TableNotDisabledError",
    "TableNotEnabledError",
    "TableNotFoundError",
    "TimedOutError",
    "TransactionConflictError",
    "UnsupportedError",
    "WrongRowError",
]


class Error(Exception):
    """What klip could not do. `str(error)` says why."""

    code: int = 0
    """Its number in klip.h."""
    java_class: str = ""
    """HBase's exception, e.g. org.apache.hadoop.hbase.TableNotFoundException."""
    retryable: bool = False
    """The same call may succeed later."""
    sql_number: int = 0
    """Phoenix's number of an error of SQL, such as 1012 for an undefined table; 0 for the others."""
    sql_state: str = ""
    """Its SQLSTATE, such as "42M03"."""


class InvalidArgumentError(Error, ValueError):
    """A value that cannot be; a connection or scanner that is closed."""


class DoNotRetryError(Error):
    """The request can never succeed."""


class TableNotFoundError(Error):
    pass


class TableExistsError(Error):
    pass


class TableNotEnabledError(Error):
    pass


class TableNotDisabledError(Error):
    pass


class NoSuchColumnFamilyError(Error):
    pass


class InvalidFamilyOperationError(Error):
    pass


class NamespaceNotFoundError(Error):
    pass


class NamespaceExistsError(Error):
    pass


class ConstraintViolationError(Error):
    pass


class SnapshotExistsError(Error):
    pass


class SnapshotNotFoundError(Error):
    pass


class WrongRowError(Error):
    pass


class RowTooBigError(Error):
    pass


class IncompatibleFilterError(Error):
    pass


class OperationConflictError(Error):
    pass


class RegionTooBusyError(Error):
    """Try again later."""


class NotServingRegionError(Error):
    pass


class UnsupportedError(Error, NotImplementedError):
    pass


class TimedOutError(Error, TimeoutError):
    pass


class CancelledError(Error):
    """The scan was closed by another thread while it ran."""


class ReadOnlyError(Error):
    """The store refuses writes after a failed fsync; reads continue."""


class StoreInUseError(Error):
    """Another process has the store open."""


class NewerFormatError(Error):
    """The store was written by a newer klip."""


class CorruptionError(Error):
    """Bytes on disk differ from what was written."""


class IoError(Error):
    pass


class TransactionConflictError(Error):
    """Another commit changed the same rows: run the transaction again."""


# By klip_code.
_CLASSES: Dict[int, Type[Error]] = dict(
    enumerate(
        (
            InvalidArgumentError,
            DoNotRetryError,
            TableNotFoundError,
            TableExistsError,
            TableNotEnabledError,
            TableNotDisabledError,
            NoSuchColumnFamilyError,
            InvalidFamilyOperationError,
            NamespaceNotFoundError,
            NamespaceExistsError,
            ConstraintViolationError,
            SnapshotExistsError,
            SnapshotNotFoundError,
            WrongRowError,
            RowTooBigError,
            IncompatibleFilterError,
            OperationConflictError,
            RegionTooBusyError,
            NotServingRegionError,
            UnsupportedError,
            TimedOutError,
            CancelledError,
            ReadOnlyError,
            StoreInUseError,
            NewerFormatError,
            CorruptionError,
            IoError,
            TransactionConflictError,
        ),
        start=1,
    )
)


def make(code: int, message: str, java_class: str, retryable: bool, sql_number: int, sql_state: str) -> Error:
    """Returns the exception for a code; klip._klip raises it."""
    error = _CLASSES.get(code, Error)(message)
    error.code = code
    error.java_class = java_class
    error.retryable = retryable
    error.sql_number = sql_number
    error.sql_state = sql_state
    return error
