"""Row-key schemas: row keys from values, and values from row keys."""

from __future__ import annotations

import datetime
import json
from typing import Any, Dict, List, NamedTuple, Sequence, Union

from . import _klip

KeyValue = Union[str, int, bytes]
GivenValue = Union[str, int, bytes, datetime.date]

_NUMBERS = frozenset({"unsigned", "signed", "timestamp", "reverse_timestamp"})


class Field(NamedTuple):
    """A part of a row key."""

    name: str
    type: str
    """text, bytes, digits, date, unsigned, signed, timestamp, reverse_timestamp, hash, salt or literal."""
    width_bytes: int
    """0: it varies."""
    derived: bool
    """Computed from other fields: encode() takes no value for it."""
    descending: bool


class Schema:
    """The parts of a row key, from a text such as "username:text(10,'*') date:digits(8)". docs/keys.md describes
    the language of schemas and queries; help(klip.keys) shows it."""

    def __init__(self, text: Union[str, _klip.Schema]) -> None:
        self._native = _klip.schema(text) if isinstance(text, str) else text
        self.fields: Sequence[Field] = tuple(Field(**field) for field in json.loads(self._native.fields()))
        self._given = [field for field in self.fields if not field.derived]

    def __str__(self) -> str:
        return self._native.text()

    def __repr__(self) -> str:
        return f"klip.Schema({str(self)!r})"

    def encode(self, *values: GivenValue, **named: GivenValue) -> bytes:
        """The row key of these values: in order, or by name. Derived fields take none. Fields of type date, ts and reverse_ts also
        take a datetime.date or datetime.datetime; one without a time zone is UTC."""
        if named:
            names = [field.name for field in self._given[len(values) :]]
            missing = [name for name in names if name not in named]
            unknown = [name for name in named if name not in names]
            if missing or unknown:
                raise TypeError(f"fields {missing} are missing" if missing else f"fields {unknown} are unknown, or given twice")
            values += tuple(named[name] for name in names)
        if len(values) != len(self._given):
            raise TypeError(f"{len(self._given)} values are needed ({self._names()}), not {len(values)}")
        return self._native.encode([_text(value, field) for value, field in zip(values, self._given)])

    def decode(self, row: Union[bytes, str]) -> Dict[str, KeyValue]:
        """The fields of a row key by name, derived ones too; numbers are ints, fields of bytes are bytes, others are texts."""
        texts = self._native.decode(row)
        return {field.name: _value(text, field) for field, text in zip(self.fields, texts) if field.type != "literal"}

    def check_query(self, query: str) -> str:
        """The canonical form of conditions on fields. Raises InvalidArgumentError for invalid ones."""
        return self._native.check_query(query)

    def _names(self) -> str:
        return ", ".join(field.name for field in self._given)


def _text(value: GivenValue, field: Field) -> Union[str, bytes]:
    if isinstance(value, bytes) and field.type == "bytes":
        return _klip.to_string_binary(value)
    if isinstance(value, (str, bytes)):
        return value
    if isinstance(value, int):
        return str(value)
    if isinstance(value, datetime.date):
        if field.type == "date" and isinstance(value, datetime.datetime):
            value = (value.astimezone(datetime.timezone.utc) if value.tzinfo else value).date()
        return _time(value)
    raise TypeError(f"field {field.name}: expected str, int, bytes, date or datetime, not {type(value).__name__}")


def _value(text: str, field: Field) -> KeyValue:
    if field.type in _NUMBERS:
        return int(text)
    if field.type == "bytes":
        return _klip.from_string_binary(text)
    return text


def query_text(where: Union[str, Dict[str, Any]]) -> str:
    """A query as text: {"date": 20140628, "username": ["al", "bob"]} means date='20140628' username='al','bob'.

    A value is a str, int, bytes, date or datetime; a list, tuple or set of these means "one of"; None means "any value".
    An empty list, tuple or set is a ValueError. Any other type is a TypeError."""
    if isinstance(where, str):
        return where
    return " ".join(f"{name}={_condition(name, value)}" for name, value in where.items()) or "ANY"


def _condition(name: str, value: Any) -> str:
    if value is None:
        return "*"
    if isinstance(value, (list, tuple, set, frozenset)):
        items: List[Any] = sorted(value) if isinstance(value, (set, frozenset)) else list(value)
        if not items:
            raise ValueError(f"field {name}: 'one of' needs at least one value")
        return ",".join(_quoted(name, one) for one in items) + ("," if len(items) == 1 else "")
    if isinstance(value, range):
        raise TypeError(f"field {name}: write a range as a text, such as where='{name}=100..200'")
    return _quoted(name, value)


def _quoted(name: str, value: Any) -> str:
    if isinstance(value, bytes):
        text = _klip.to_string_binary(value)
    elif isinstance(value, datetime.date):
        text = _time(value)
    elif isinstance(value, (str, int)) and not isinstance(value, bool):
        text = str(value)
    else:
        raise TypeError(f"field {name}: expected str, int, bytes, date or datetime, not {type(value).__name__}")
    return "'" + text.replace("'", "''") + "'"


def _time(value: datetime.date) -> str:
    """2014-06-28, or 2014-06-28T12:30:00.000 with the offset that a datetime may have; without one it is UTC."""
    if not isinstance(value, datetime.datetime):
        return value.isoformat()
    return value.isoformat(timespec="milliseconds")
