"""What Connection.cluster_metrics returns. Times are ms since 1970, sizes bytes, servers "host,port,startcode"; a region's name is in HBase's
printable form (klip.from_string_binary). klip/cluster_metrics.h documents the members."""

from __future__ import annotations

from typing import List, Optional, TypedDict


class RegionMetrics(TypedDict):
    name: str
    stores: int
    store_files: int
    file_bytes: int
    uncompressed_file_bytes: int
    memstore_bytes: int
    read_requests: int
    filtered_read_requests: int
    write_requests: int
    compaction: str  # "NONE", "MINOR", "MAJOR", "MAJOR_AND_MINOR"
    compacting_cells: int
    compacted_cells: int
    last_major_compaction_ms: int  # 0: none
    completed_sequence_id: int  # -1: none
    data_locality: float


class ServerTask(TypedDict):
    description: str
    status: str
    state: str  # "RUNNING", "WAITING", "COMPLETE", "ABORTED"
    start_ms: int
    completion_ms: int  # -1: not yet


class ReplicationSource(TypedDict):
    peer_id: str
    queue_id: str
    recovered: bool
    running: bool
    age_of_last_shipped_ms: int
    last_shipped_ms: int
    lag_ms: int
    queued_logs: int
    edits_read: int
    operations_shipped: int


class ReplicationSink(TypedDict):
    started_ms: int
    last_applied_ms: int
    age_of_last_applied_ms: int


class ServerMetrics(TypedDict):
    name: str
    report_ms: int
    requests_per_second: int
    requests: int
    used_heap_bytes: int
    max_heap_bytes: int  # 0: no limit
    regions: List[RegionMetrics]
    coprocessors: List[str]
    tasks: List[ServerTask]
    replication_sources: List[ReplicationSource]
    replication_sink: Optional[ReplicationSink]


class RegionInTransition(TypedDict):
    region: str
    state: str
    since_ms: int


class ClusterMetrics(TypedDict):
    version: str
    cluster_id: str  # "": a store that was never served
    active_master: Optional[str]
    backup_masters: List[str]
    balancer_on: bool
    average_load: float  # regions of a live server
    live_servers: List[ServerMetrics]
    dead_servers: List[str]
    unknown_servers: List[str]
    regions_in_transition: List[RegionInTransition]
    master_coprocessors: List[str]
    master_tasks: List[ServerTask]
