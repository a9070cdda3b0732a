"""Connections: opening a store or a cluster, its tables, and looking after them."""

from __future__ import annotations

import datetime
import json
import os
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Type, Union

from . import _klip, dbapi
from .cluster import ClusterMetrics
from .mutations import Bytes, Condition, Durability, Mutation, Put
from .schema import Schema
from .table import Table

Families = Union[Mapping[str, Optional[Mapping[str, Any]]], Sequence[str]]


def _uri(store: Union[str, os.PathLike[str]]) -> str:
    """The URI of a path; a URI is itself. A path with a colon has to be a Path, or be written klip:<directory>."""
    if isinstance(store, os.PathLike):
        return "klip:" + os.fspath(store)
    return store if ":" in store else "klip:" + store


def connect(
    uri: Union[str, os.PathLike[str]],
    *,
    create_if_missing: bool = True,
    sync_wal: bool = True,
    block_cache_bytes: Optional[int] = None,
    memtable_bytes: Optional[int] = None,
    rpc_timeout_ms: Optional[int] = None,
    operation_timeout_ms: Optional[int] = None,
) -> Connection:
    """Opens a store in a directory, which one process has open at a time: a path, or "klip:<directory>". Or a cluster, of HBase or of
    klip serve: "hbase+rpc://host:port" or "hbase+zk://host:port/znode".

    sync_wal=False leaves it to the operating system when writes go to disk, as HBase does. None is klip's default.
    """
    return Connection(
        _klip.connect(
            _uri(uri),
            create_if_missing,
            sync_wal,
            block_cache_bytes,
            memtable_bytes,
            rpc_timeout_ms,
            operation_timeout_ms,
        )
    )


class Connection:
    """A store or a cluster. Threads may share it. Closing it ends its scans. Tables and scanners created from it then raise
    InvalidArgumentError, a ValueError."""

    def __init__(self, native: _klip.Connection) -> None:
        self._native = native

    def close(self) -> None:
        self._native.close()

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], *_: object) -> None:
        self.close()

    # --- SQL ---

    def sql(
        self,
        *,
        autocommit: bool = True,
        schema: Optional[str] = None,
        threads: int = 0,
        memory_bytes: Optional[int] = None,
        tenant: Optional[str] = None,
        as_of: Optional[datetime.datetime] = None,
    ) -> dbapi.Connection:
        """An SQL session: `connection.sql().execute("SELECT ...")`. Use one per thread.

        autocommit    False: changes wait for commit()
        schema        for table names without one
        threads       limit for a scan of all rows; 0: one per core
        memory_bytes  for groups, sorted rows and joins of one statement, more goes to a file in TMPDIR; None: 256 MiB
        tenant        as with Phoenix's TenantId; None: the rows of all tenants
        as_of         as with Phoenix's CurrentSCN: reads what was written before, and writes with this time; without a time zone: UTC
        """
        return dbapi.Connection(
            self._native,
            autocommit=autocommit,
            schema=schema,
            threads=threads,
            memory_bytes=memory_bytes,
            tenant=tenant,
            as_of=as_of,
        )

    # --- Tables ---

    def table(self, name: str) -> Table:
        """Raises TableNotFoundError."""
        return Table(self, self._native.table(name), name)

    def tables(self, namespace: Optional[str] = None) -> List[str]:
        """Names of all tables, or those of a namespace."""
        return self._native.list_tables(namespace)

    def create_table(
        self,
        name: str,
        families: Families,
        *,
        row_key: Optional[Union[str, Schema]] = None,
        attributes: Optional[Mapping[str, Any]] = None,
        splits: Optional[Iterable[Bytes]] = None,
    ) -> Table:
        """Makes a table with these families: ["d"], or {"d": {"VERSIONS": 3, "COMPRESSION": "ZSTD"}}, with HBase's names.

        row_key     the schema of its row keys, kept as an attribute of the table
        attributes  of the table, e.g. {"DURABILITY": "ASYNC_WAL", "KLIP_ROW_KEY_ENFORCED": True}
        splits      row keys at which its regions begin
        """
        all_attributes = dict(attributes or {})
        if row_key is not None:
            all_attributes["KLIP_ROW_KEY"] = str(Schema(row_key) if isinstance(row_key, str) else row_key)
        descriptor = {"name": name, "families": _families(families), "attributes": all_attributes}
        self._native.create_table(json.dumps(descriptor), list(splits or ()))
        return self.table(name)

    def describe_table(self, name: str) -> Dict[str, Any]:
        """{"name": ..., "families": [{"name": "d", "VERSIONS": "3", ...}], "attributes": {...}, "configuration": {...}}"""
        descriptor: Dict[str, Any] = json.loads(self._native.describe_table(name))
        return descriptor

    def modify_table(self, descriptor: Mapping[str, Any]) -> None:
        """Replaces the descriptor, as describe_table returns it. Families that are missing are deleted with their data."""
        self._native.modify_table(json.dumps(descriptor))

    def families(self, table: str) -> Dict[str, Dict[str, Any]]:
        """The settings of each family of a table."""
        return {family["name"]: family for family in self.describe_table(table)["families"]}

    def add_family(self, table: str, family: str, settings: Optional[Mapping[str, Any]] = None) -> None:
        self._native.add_family(table, json.dumps({"name": family, **(settings or {})}))

    def modify_family(self, table: str, family: str, settings: Mapping[str, Any]) -> None:
        """Replaces the family's settings; those not named get their defaults."""
        self._native.modify_family(table, json.dumps({"name": family, **settings}))

    def delete_family(self, table: str, family: str) -> None:
        self._native.delete_family(table, family)

    def table_exists(self, name: str) -> bool:
        return self._native.table_exists(name)

    def is_table_enabled(self, name: str) -> bool:
        return self._native.is_table_enabled(name)

    def enable_table(self, name: str) -> None:
        self._native.enable_table(name)

    def disable_table(self, name: str) -> None:
        self._native.disable_table(name)

    def delete_table(self, name: str, disable: bool = False) -> None:
        """The table must be disabled, unless `disable` is set."""
        if disable and self.is_table_enabled(name):
            self.disable_table(name)
        self._native.delete_table(name)

    def truncate_table(self, name: str, preserve_splits: bool = False) -> None:
        """The table must be disabled; it is enabled behind it."""
        self._native.truncate_table(name, preserve_splits)

    # --- Namespaces ---

    def create_namespace(self, name: str) -> None:
        self._native.create_namespace(name)

    def delete_namespace(self, name: str) -> None:
        self._native.delete_namespace(name)

    def namespaces(self) -> List[str]:
        return self._native.list_namespaces()

    # --- Storage, regions, snapshots ---

    def flush(self, table: str) -> None:
        self._native.flush(table)

    def compact_table(self, table: str, major: bool = False) -> None:
        self._native.compact(table, major)

    def metrics(self) -> Dict[str, int]:
        """Reads, writes and memory since the store was opened."""
        metrics: Dict[str, int] = json.loads(self._native.metrics())
        return metrics

    def cluster_metrics(self) -> ClusterMetrics:
        """What the servers of the cluster, and their regions, are doing; a store in a directory is a cluster of one server."""
        metrics: ClusterMetrics = json.loads(self._native.cluster_metrics())
        return metrics

    def regions(self, table: str) -> List[Dict[str, Any]]:
        """The table's key ranges and their servers; start_key and end_key are bytes, empty at the ends."""
        regions: List[Dict[str, Any]] = json.loads(self._native.list_regions(table))
        for region in regions:
            for end in ("start_key", "end_key"):
                region[end] = _klip.from_string_binary(region[end])
        return regions

    def split_table(self, table: str, split_key: Bytes = b"") -> None:
        """Splits the region that holds the key; without one every region at its middle."""
        self._native.split_table(table, split_key)

    def merge_regions(self, first: str, second: str, forcible: bool = False) -> None:
        """Merges two neighbouring regions, by their encoded names."""
        self._native.merge_regions(first, second, forcible)

    def snapshot(self, snapshot: str, table: str) -> None:
        self._native.snapshot(snapshot, table)

    def snapshots(self) -> List[Dict[str, Any]]:
        """[{"name": ..., "table": ..., "created_ms": ...}, ...]"""
        snapshots: List[Dict[str, Any]] = json.loads(self._native.list_snapshots())
        return snapshots

    def delete_snapshot(self, snapshot: str) -> None:
        self._native.delete_snapshot(snapshot)

    def clone_snapshot(self, snapshot: str, table: str) -> None:
        self._native.clone_snapshot(snapshot, table)

    def restore_snapshot(self, snapshot: str) -> None:
        """The snapshot's table must be disabled."""
        self._native.restore_snapshot(snapshot)

    # --- Many rows ---

    def apply(
        self,
        mutations: Iterable[Tuple[str, Mutation]],
        conditions: Iterable[Tuple[str, Bytes, Condition]] = (),
        durability: Durability = Durability.USE_DEFAULT,
    ) -> bool:
        """Changes rows of several tables atomically: after a crash, all changes exist or none. Conditions are (table, row,
        condition). Returns False, and writes nothing, if one does not hold. Only for stores in a directory."""
        steps: List[Any] = [(table, mutation.native(), None, None) for table, mutation in mutations]
        steps += [(table, None, condition.native(), row) for table, row, condition in conditions]
        return self._native.apply(steps, durability)

    def transaction(
        self, *, serializable: bool = False, max_age_ms: Optional[int] = None, max_bytes: Optional[int] = None
    ) -> Transaction:
        """Atomic reads and writes of many rows and tables, for stores in a directory:

            with connection.transaction() as transaction:
                accounts = transaction.table("accounts")
                accounts.increment("alice", {"f:cents": -500})
                accounts.increment("bob", {"f:cents": 500})

        The end of the block commits; an exception in it rolls back. The commit raises TransactionConflictError if somebody else has
        written one of its rows in the meantime. It then writes nothing, and you can run the transaction again.

        serializable  everything that it has read must also be unchanged
        max_age_ms    after this time its calls fail; None: 5 minutes
        max_bytes     limit of its writes; None: 256 MiB
        """
        return Transaction(self, self._native.begin(serializable, max_age_ms, max_bytes))

    def loader(self, table: str) -> Loader:
        """Writes a table's sorted files directly: many times faster than puts for initial loads."""
        return Loader(self._native.loader(table))


class Transaction:
    """The result of Connection.transaction. Only one thread at a time may use it and its tables."""

    def __init__(self, connection: Connection, native: _klip.Transaction) -> None:
        self._connection = connection
        self._native = native
        self._over = False

    def table(self, name: str) -> Table:
        """The table as the transaction sees it: as of its beginning, with its own writes. Raises TableNotFoundError."""
        return Table(self._connection, self._native.table(name), name)

    def savepoint(self) -> int:
        """Marks the current state of the writes, for rollback_to."""
        return self._native.savepoint()

    def rollback_to(self, savepoint: int) -> None:
        """Discards the writes and savepoints after this savepoint."""
        self._native.rollback_to(savepoint)

    def commit(self) -> None:
        """Writes everything atomically. Ends the transaction, even if it raises an error."""
        self._over = True
        self._native.commit()

    def rollback(self) -> None:
        self._over = True
        self._native.rollback()

    def __enter__(self) -> Transaction:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], *_: object) -> None:
        if self._over:
            return
        if kind is None:
            self.commit()
        else:
            self.rollback()


class Loader:
    """Loads rows in ascending order; they are seen once the `with` block ends, and not at all when it ends by an exception."""

    _GROUP = 1000  # puts that are handed over at a time

    def __init__(self, native: _klip.Loader) -> None:
        self._native = native
        self._puts: List[Any] = []

    def put(self, row: Bytes, data: Mapping[Any, Any], timestamp: Optional[int] = None) -> None:
        self._puts.append(Put(row, data, timestamp).native())
        if len(self._puts) >= self._GROUP:
            self._send()

    def finish(self) -> None:
        """Makes all rows visible as one step."""
        self._send()
        self._native.finish()

    def _send(self) -> None:
        puts, self._puts = self._puts, []
        self._native.add(puts)

    def __enter__(self) -> Loader:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], *_: object) -> None:
        if kind is None:
            self.finish()


def _families(families: Families) -> List[Dict[str, Any]]:
    if isinstance(families, str):
        raise TypeError("families is a list of names or a dict, not str")
    if not isinstance(families, Mapping):
        return [{"name": name} for name in families]
    return [{"name": name.rstrip(":"), **(settings or {})} for name, settings in families.items()]
