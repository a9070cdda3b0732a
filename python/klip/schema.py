"""Row-key schemas: row keys from values, and values from row keys."""

from __future__ import annotations

import json
from typing import Any, Dict, List, NamedTuple, Sequence, Union

from . import _klip

KeyValue = Union[str, int, bytes]

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
    """The parts of a row key, from a text such as "username:text(10,'*') date:digits(8)". docs/python.md tells more; the language is in
    klip/row_key.h."""

    def __init__(self, text: Union[str, _klip.Schema]) -> None:
        self._native = _klip.schema(text) if isinstance(text, str) else text
        self.fields: Sequence[Field] = tuple(Field(**field) for field in json.loads(self._native.fields()))
        self._given = [field for field in self.fields if not field.derived]

    def __str__(self) -> str:
        return self._native.text()

    def __repr__(self) -> str:
        return f"klip.Schema({str(self)!r})"

    def encode(self, *values: KeyValue, **named: KeyValue) -> bytes:
        """The row key of these values: in order, or by name. Derived fields take none."""
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
        """Conditions on fields as klip understands them. Raises InvalidArgumentError for those that it does not."""
        return self._native.check_query(query)

    def _names(self) -> str:
        return ", ".join(field.name for field in self._given)


def _text(value: KeyValue, field: Field) -> Union[str, bytes]:
    if isinstance(value, bytes) and field.type == "bytes":
        return _klip.to_string_binary(value)
    if isinstance(value, (str, bytes)):
        return value
    if isinstance(value, int):
        return str(value)
    raise TypeError(f"field {field.name}: expected str, int or bytes, not {type(value).__name__}")


def _value(text: str, field: Field) -> KeyValue:
    if field.type in _NUMBERS:
        return int(text)
    if field.type == "bytes":
        return _klip.from_string_binary(text)
    return text


def query_text(where: Union[str, Dict[str, Any]]) -> str:
    """Conditions as a text: {"date": 20140628, "username": ["al", "bob"]} means date='20140628' username='al','bob'."""
    if isinstance(where, str):
        return where
    return " ".join(f"{name}={_condition(value)}" for name, value in where.items()) or "ANY"


def _condition(value: Any) -> str:
    if isinstance(value, (list, set, frozenset)):
        items: List[Any] = sorted(value) if isinstance(value, (set, frozenset)) else value
        if not items:
            raise ValueError("a field cannot be one of no values")
        return ",".join(_quoted(one) for one in items) + ("," if len(items) == 1 else "")
    if isinstance(value, range):
        raise TypeError("write a range as a text: 'seq=100..200'")
    return _quoted(value)


def _quoted(value: Any) -> str:
    if isinstance(value, bytes):
        value = _klip.to_string_binary(value)
    return "'" + str(value).replace("'", "''") + "'"
