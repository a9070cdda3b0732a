package session;

import static session.Report.attempt;
import static session.Report.bytes;
import static session.Report.text;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.AsyncAdmin;
import org.apache.hadoop.hbase.client.AsyncBufferedMutator;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.client.coprocessor.AsyncAggregationClient;
import org.apache.hadoop.hbase.client.coprocessor.LongColumnInterpreter;
import org.apache.hadoop.hbase.util.Bytes;

/** The same through AsyncTable and AsyncAdmin, and aggregates by the endpoint. */
final class Async {
  private static final TableName NAME = TableName.valueOf("java_async");
  private static final byte[] F = Bytes.toBytes("f");
  private static final byte[] N = Bytes.toBytes("n");
  private final AsyncConnection connection;

  Async(AsyncConnection connection) {
    this.connection = connection;
  }

  private static Put put(int i) {
    return new Put(bytes(String.format("r%03d", i))).addColumn(F, N, 1, Bytes.toBytes((long) i));
  }

  private void cells(AsyncTable<AdvancedScanResultConsumer> table) {
    attempt("puts", () -> {
      List<CompletableFuture<Void>> puts = new ArrayList<>();
      for (int i = 0; i < 100; ++i) {
        puts.add(table.put(put(i)));
      }
      CompletableFuture.allOf(puts.toArray(new CompletableFuture<?>[0])).get();
      return null;
    });
    attempt("get", () -> text(table.get(new Get(bytes("r007"))).get()));
    attempt("get all", () -> text(table.getAll(List.of(new Get(bytes("r001")), new Get(bytes("none")), new Get(bytes("r099")))).get()));
    attempt("exists", () -> table.existsAll(List.of(new Get(bytes("r001")), new Get(bytes("none")))).get());
    attempt("increment", () -> text(table.increment(new Increment(bytes("r001")).addColumn(F, N, 5).setTimestamp(9)).get()));
    attempt("append", () -> Bytes.toString(table.append(new Append(bytes("x")).addColumn(F, F, bytes("abc"))).get().getValue(F, F)));
    attempt("check and mutate", () -> table.checkAndMutate(CheckAndMutate.newBuilder(bytes("r002"))
        .ifEquals(F, N, Bytes.toBytes(2L)).build(new Delete(bytes("r002")))).get().isSuccess());
    attempt("checks", () -> table.checkAndMutateAll(List.of(
        CheckAndMutate.newBuilder(bytes("r003")).ifNotExists(F, F).build(new Put(bytes("r003")).addColumn(F, F, 1, bytes("new"))),
        CheckAndMutate.newBuilder(bytes("r004")).ifNotExists(F, N).build(new Delete(bytes("r004"))))).get()
        .stream().map(r -> r.isSuccess()).collect(Collectors.toList()));
    attempt("mutate row", () -> text(table.mutateRow(RowMutations.of(List.of(put(5), new Delete(bytes("r005")).addFamily(F, 0)))).get()));
    attempt("batch", () -> table.batchAll(List.of(put(200), new Get(bytes("r010")), new Delete(bytes("r011")))).get().stream()
        .map(r -> r == null ? "ok" : text((Result) r)).collect(Collectors.toList()));
    attempt("scan", () -> text(table.scanAll(new Scan().withStartRow(bytes("r008")).withStopRow(bytes("r013"))).get()));
    attempt("scan with limit, reversed", () -> text(table.scanAll(new Scan().setReversed(true).setLimit(3)).get()));
    attempt("put of no family", () -> table.put(new Put(bytes("r")).addColumn(bytes("nope"), F, F)).get());
    attempt("buffered", () -> {
      try (AsyncBufferedMutator mutator = connection.getBufferedMutator(NAME)) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 300; i < 800; ++i) {
          all.add(mutator.mutate(put(i)));
        }
        mutator.flush();
        CompletableFuture.allOf(all.toArray(new CompletableFuture<?>[0])).get();
      }
      return table.scanAll(new Scan()).get().size();
    });
  }

  private void aggregates(AsyncTable<AdvancedScanResultConsumer> table) {
    LongColumnInterpreter longs = new LongColumnInterpreter();
    Scan scan = new Scan().withStartRow(bytes("r")).withStopRow(bytes("s")).addColumn(F, N);
    attempt("row count", () -> AsyncAggregationClient.rowCount(table, longs, scan).get());
    attempt("max", () -> AsyncAggregationClient.max(table, longs, scan).get());
    attempt("min", () -> AsyncAggregationClient.min(table, longs, scan).get());
    attempt("sum", () -> AsyncAggregationClient.sum(table, longs, scan).get());
    attempt("average", () -> AsyncAggregationClient.avg(table, longs, scan).get());
    attempt("deviation", () -> AsyncAggregationClient.std(table, longs, scan).get());
    attempt("median", () -> AsyncAggregationClient.median(table, longs, scan).get());
  }

  private void admin(AsyncAdmin admin) {
    attempt("exists", () -> admin.tableExists(NAME).get());
    attempt("regions", () -> admin.getRegions(NAME).get().size());
    attempt("locations", () -> connection.getRegionLocator(NAME).getAllRegionLocations().get().size());
    attempt("flush", () -> admin.flush(NAME).get());
    attempt("split", () -> admin.split(NAME, bytes("r600")).thenCompose(x -> admin.getRegions(NAME)).get().size() >= 3);
    attempt("snapshot", () -> admin.snapshot("java_async1", NAME).thenCompose(x -> admin.listSnapshots()).get().stream()
        .map(s -> s.getName()).filter(s -> s.startsWith("java_async")).collect(Collectors.toList()));
    attempt("clone", () -> admin.cloneSnapshot("java_async1", TableName.valueOf("java_async2")).thenCompose(x -> admin.tableExists(TableName.valueOf("java_async2"))).get());
    attempt("delete while enabled", () -> admin.deleteTable(NAME).get());
    attempt("disable and delete", () -> admin.disableTable(NAME).thenCompose(x -> admin.deleteTable(NAME)).thenCompose(x -> admin.tableExists(NAME)).get());
    attempt("delete again", () -> admin.deleteTable(NAME).get());
  }

  void run() throws Exception {
    System.out.println("== async");
    AsyncAdmin admin = connection.getAdmin();
    admin.createTable(TableDescriptorBuilder.newBuilder(NAME).setColumnFamily(ColumnFamilyDescriptorBuilder.of(F)).build(),
        new byte[][] {bytes("r500")}).get();
    AsyncTable<AdvancedScanResultConsumer> table = connection.getTable(NAME);
    cells(table);
    aggregates(table);
    admin(admin);
    var pool = Executors.newFixedThreadPool(1);
    attempt("on a pool", () -> connection.getTable(TableName.valueOf("java_async2"), pool).exists(new Get(bytes("r001"))).get());
    pool.shutdown();
  }
}
