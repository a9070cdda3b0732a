"""klip: HBase's data model, on a store in a directory or on an HBase cluster, with queries by the parts of row keys.

    import klip

    with klip.connect("klip:/tmp/logins") as connection:
        connection.create_table("logins", {"d": {"VERSIONS": 3}}, row_key="username:text(10,'*') date:digits(8)")
        logins = connection.table("logins")
        logins.put(logins.schema.encode("alice", 20140628), {b"d:visits": b"3"})
        for key, row in logins.scan(where="date=20140628"):
            print(logins.schema.decode(key), row[b"d:visits"])
"""

from . import dbapi, keys
from ._klip import Cell, Scanner, from_string_binary, to_string_binary
from ._klip import version as __version__
from .cluster import ClusterMetrics, RegionInTransition, RegionMetrics, ReplicationSink, ReplicationSource, ServerMetrics, ServerTask
from .connection import Connection, Loader, Transaction, connect
from .errors import *  # noqa: F403: the exceptions, which errors.__all__ lists
from .errors import __all__ as _errors
from .mutations import Append, Condition, Delete, Durability, Increment, Mutation, Put
from .schema import Field, Schema
from .table import Batch, Table

__all__ = [
    "Append",
    "Batch",
    "Cell",
    "ClusterMetrics",
    "Condition",
    "Connection",
    "Delete",
    "Durability",
    "Field",
    "Increment",
    "Loader",
    "Mutation",
    "Put",
    "RegionInTransition",
    "RegionMetrics",
    "ReplicationSink",
    "ReplicationSource",
    "Scanner",
    "Schema",
    "ServerMetrics",
    "ServerTask",
    "Table",
    "Transaction",
    "__version__",
    "connect",
    "dbapi",
    "from_string_binary",
    "keys",
    "to_string_binary",
    *_errors,
]
