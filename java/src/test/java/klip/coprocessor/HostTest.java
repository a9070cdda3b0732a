package klip.coprocessor;

import static klip.coprocessor.Observers.FAMILY;
import static klip.coprocessor.Observers.SEEN;
import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.Condition;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** Drives a host over its socket. */
public class HostTest {
  private static final TableName NAME = TableName.valueOf("t");
  private Path directory;
  private Host host;
  private FakeKlip klip;

  @Before
  public void start() throws IOException {
    directory = Files.createTempDirectory("klip");
    host = Host.start(directory.resolve("s"));
    klip = new FakeKlip(directory.resolve("s"));
    SEEN.clear();
  }

  @After
  public void stop() throws IOException {
    klip.close();
    host.close();
    Files.delete(directory);
  }

  private static TableDescriptor table(String... classes) throws IOException {
    TableDescriptorBuilder builder = TableDescriptorBuilder.newBuilder(NAME)
      .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f")).setColumnFamily(ColumnFamilyDescriptorBuilder.of("g"));
    for (String name : classes) {
      builder.setCoprocessor(CoprocessorDescriptorBuilder.newBuilder(name).setPriority(1001).build());
    }
    return builder.build();
  }

  private void open(String... classes) throws IOException {
    klip.start("");
    RegionInfo info = RegionInfoBuilder.newBuilder(NAME).build();
    klip.open(info, table(classes));
  }

  private void open(Class<?>... classes) throws IOException {
    String[] names = new String[classes.length];
    for (int i = 0; i < names.length; i++) {
      names[i] = classes[i].getName();
    }
    open(names);
  }

  private static Put put(String row, String value) {
    return new Put(Bytes.toBytes(row)).addColumn(FAMILY, Bytes.toBytes("q"), Bytes.toBytes(value));
  }

  private static Condition exists(String row) throws IOException {
    return ProtobufUtil.toCondition(Bytes.toBytes(row), FAMILY, Bytes.toBytes("q"), CompareOperator.NOT_EQUAL, null,
      org.apache.hadoop.hbase.io.TimeRange.allTime());
  }

  @Test
  public void saysWhichHooksDoSomething() throws IOException {
    assertTrue(klip.start("").startsWith("2."));
    open(Observers.Noop.class, Observers.Deprecated.class);
    assertEquals("the others are empty", List.of("preCheckAndMutate", "preCheckAndPut"), klip.hooks);
    assertEquals(List.of(Observers.Noop.class.getName() + "|1001", Observers.Deprecated.class.getName() + "|1001"),
      klip.loaded);
    assertEquals(List.of(), klip.leftOut);
  }

  @Test
  public void leavesOutWhatDoesNotLoad() throws IOException {
    open("no.such.Class", Observers.Noop.class.getName(), "java.lang.String");
    assertEquals(1, klip.loaded.size());
    assertEquals(2, klip.leftOut.size());
    klip.leftOut.sort(Comparator.reverseOrder());
    assertEquals("no.such.Class: java.io.IOException: No jar path specified for no.such.Class", klip.leftOut.get(0));
    assertTrue(klip.leftOut.get(1).startsWith("java.lang.String: "));
  }

  @Test
  public void checksATableAsHBaseDoes() throws IOException {
    klip.start("");
    klip.check(table(Observers.Noop.class.getName()));
    IOException error = assertThrows(DoNotRetryIOException.class, () -> klip.check(table("no.such.Class")));
    assertEquals("Class no.such.Class cannot be loaded Set hbase.table.sanity.checks to false at conf or table "
      + "descriptor if you want to bypass sanity checks", error.getMessage());
  }

  @Test
  public void runsAllPhasesOfAWrite() throws IOException {
    open(Observers.Recorder.class);
    klip.stamps = true;
    klip.write(put("a", "1"), put("b", "2"));
    assertEquals(List.of("prePut alice 10.0.0.7", "prePut alice 10.0.0.7", "preBatchMutate 2 of 2 at 1000",
      "postBatchMutate 2", "postPut by prePut", "postPut by prePut", "postBatchMutateIndispensably true"), SEEN);
    assertEquals("2", klip.value("b", "q"));
  }

  @Test
  public void aHookSeesLatestTimesWithoutAStamp() throws IOException {
    open(Observers.Recorder.class);
    klip.write(put("a", "1"));
    assertTrue(SEEN.contains("preBatchMutate 1 of 1 at latest"));
  }

  @Test
  public void tellsOnlyOfMutationsThatChanged() throws IOException {
    open(Observers.ByName.class);
    klip.write(put("bypass", "3"), put("in place", "4"));
    assertNull(klip.value("bypass", "q"));
    assertEquals("X", klip.value("in place", "q"));
    assertEquals(1000, klip.write(put("ttl", "5")).mutations[0].getTTL());
    assertEquals(Durability.SKIP_WAL, klip.write(put("durability", "6")).mutations[0].getDurability());
    klip.write(put("replaced", "7"), put("more", "2"));
    assertEquals("new", klip.value("replaced", "q"));
    assertEquals("added", klip.value("more", "more"));
    klip.log.clear();
    klip.write(put("a", "1"), put("more", "2"), put("bypass", "3"));
    assertEquals("each gets its verdict once", List.of("verdict 1", "verdict 2"), klip.log);
  }

  @Test
  public void addsMutationsToTheBatch() throws IOException {
    open(Observers.Index.class);
    klip.write(put("a", "x"), put("b", "y"));
    assertEquals("b", klip.value("index y", "row"));
    assertEquals(4, klip.cells.size());
  }

  @Test
  public void klipMayAskForAdditionsAgain() throws IOException {
    open(Observers.Index.class);
    FakeKlip.Operation operation = klip.new Operation(0, null, List.of(put("a", "x"), put("b", "y")));
    for (int round = 0; round < 2; round++) {
      Input answer = operation.call(3, output -> { });
      operation.verdicts(answer);
      assertEquals(2, answer.u32());
    }
    open(Observers.AddsOnce.class);
    operation = klip.new Operation(0, null, List.of(put("a", "x")));
    for (int added = 1; added >= 0; added--) {
      Input answer = operation.call(3, output -> { });
      operation.verdicts(answer);
      assertEquals(added, answer.u32());
    }
  }

  @Test
  public void showsNewCellsAndWhatIsLogged() throws IOException {
    open(Observers.Computed.class);
    assertEquals(List.of("postIncrementBeforeWAL", "preWALAppend"), klip.hooks);
    byte[] row = Bytes.toBytes("n");
    Increment increment = new Increment(row).addColumn(FAMILY, Bytes.toBytes("a"), 1)
      .addColumn(FAMILY, Bytes.toBytes("b"), 1);
    KeyValue old = new KeyValue(row, FAMILY, Bytes.toBytes("a"), 5, Bytes.toBytes("old"));
    KeyValue a = new KeyValue(row, FAMILY, Bytes.toBytes("a"), 6, Bytes.toBytes("new"));
    KeyValue b = new KeyValue(row, FAMILY, Bytes.toBytes("b"), 6, Bytes.toBytes("new"));
    FakeKlip.Operation operation = klip.new Operation(0, null, List.of(put("p", "1"), increment));
    Input answer = operation.call(6, output -> output.u32(1).u32(2).u8(1).u8(0).cell(old).cell(a).cell(b));
    assertEquals(old, answer.cell());
    assertEquals(b, answer.cell());
    assertThrows(java.io.EOFException.class, answer::cell);
    operation.call(7, output -> output.u32(1).u64(klip.region).u32(2).cell(a).cell(b));
    assertEquals(List.of("postIncrementBeforeWAL 2", "preWALAppend t 2"), SEEN);
    assertThrows(IOException.class, () -> operation.call(6, output -> output.u32(1).u32(1).u8(1).cell(a)));
  }

  @Test
  public void postPutSeesBypassedOnesAsInHBase() throws IOException {
    open(Observers.ByName.class, Observers.Recorder.class);
    klip.write(put("bypass", "1"), put("a", "2"));
    assertEquals(List.of("prePut alice 10.0.0.7", "preBatchMutate 2 of 1 at latest", "postBatchMutate 2", "postPut null",
      "postPut by prePut", "postBatchMutateIndispensably true"), SEEN);
  }

  @Test
  public void eachOperationHasItsOwnCaller() throws IOException {
    open(Observers.Recorder.class);
    klip.write(put("a", "1"));
    klip.user = "bob";
    klip.write(put("a", "1"));
    assertTrue(SEEN.contains("prePut bob 10.0.0.7"));
  }

  @Test
  public void anIncrementMayBeAnsweredByAHook() throws IOException {
    open(Observers.ByName.class);
    Increment increment = new Increment(Bytes.toBytes("n")).addColumn(FAMILY, Bytes.toBytes("q"), 5);
    assertEquals(77, Bytes.toLong(klip.write(increment).results[0].value()));
    assertTrue(klip.cells.isEmpty());
  }

  @Test
  public void anExceptionFailsTheWholeWrite() throws IOException {
    open(Observers.ByName.class);
    Delete delete = new Delete(Bytes.toBytes("a"));
    IOException error = assertThrows(DoNotRetryIOException.class, () -> klip.write(put("a", "1"), delete));
    assertEquals("no deletes here", error.getMessage());
    assertEquals(List.of("preDelete 2"), SEEN);
    assertThrows(DoNotRetryIOException.class, () -> klip.write(2, null, List.of(put("a", "1"), delete)));
    assertNull(klip.value("a", "q"));
  }

  @Test
  public void checkAndMutateRunsItsHooks() throws IOException {
    open(Observers.ByName.class, Observers.Deprecated.class, Observers.Recorder.class);
    assertFalse(klip.write(1, exists("a"), List.of(put("a", "1"))).checked);
    assertEquals(List.of("preCheckAndPut a", "postCheckAndMutate false"), SEEN);
    klip.write(put("a", "1"));
    SEEN.clear();
    assertTrue(klip.write(1, exists("a"), List.of(put("a", "2"))).checked);
    assertEquals(List.of("preCheckAndPut a", "prePut alice 10.0.0.7", "preBatchMutate 1 of 1 at latest",
      "postBatchMutate 1", "postPut by prePut", "postBatchMutateIndispensably true", "postCheckAndMutate true"), SEEN);
    assertTrue(klip.write(1, exists("bypass"), List.of(put("bypass", "2"))).checked);
    assertNull(klip.value("bypass", "q"));
    assertTrue(klip.write(1, exists("a"), List.of(put("a", "3"), new Put(put("a", "4")))).checked);
  }

  @Test
  public void removesWhatThrowsAnythingElse() throws IOException {
    open(Observers.Bad.class, Observers.Index.class);
    IOException error = assertThrows(DoNotRetryIOException.class, () -> klip.write(put("a", "x")));
    assertTrue(error.getMessage(), error.getMessage().contains(
      "threw: 'java.lang.NullPointerException: planned' and has been removed from the active coprocessor set."));
    klip.write(put("a", "x"));
    assertEquals("a", klip.value("index x", "row"));
  }

  @Test
  public void survivesErrors() throws IOException {
    for (String row : List.of("error", "memory", "link", "stack", "other")) {
      open(Observers.Throwing.class);
      IOException error = assertThrows(DoNotRetryIOException.class, () -> klip.write(put(row, "x")));
      assertTrue(error.getMessage(), error.getMessage().contains("has been removed"));
      klip.write(put(row, "x"));
    }
  }

  @Test
  public void saysWhatKlipDoesNotHave() throws IOException {
    open(Observers.Throwing.class);
    IOException error = assertThrows(DoNotRetryIOException.class, () -> klip.write(put("log", "x")));
    assertTrue(error.getMessage(), error.getMessage().contains("Region.getWAL: klip does not have it"));
  }

  @Test
  public void loadsTheJarOfATable() throws Exception {
    klip.settings.put("hbase.local.dir", directory.resolve("local").toString());
    klip.start("");
    Path jar = directory.resolve("own.jar");
    JarOfTests.write(jar);
    TableDescriptor good = withJar(jar, "own.Observer");
    klip.check(good);
    klip.open(RegionInfoBuilder.newBuilder(NAME).build(), good);
    assertEquals(List.of(), klip.leftOut);
    klip.write(put("a", "1"));
    assertEquals("from the jar", klip.value("a", "own"));
    IOException error = assertThrows(DoNotRetryIOException.class, () -> klip.check(withJar(jar, "own.Missing")));
    assertTrue(error.getMessage(), error.getMessage().startsWith("Class own.Missing cannot be loaded Set "));
    assertThrows(DoNotRetryIOException.class, () -> klip.check(withJar(directory.resolve("no.jar"), "own.Observer")));
    try (var files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).filter(file -> !file.equals(directory) && !file.endsWith("s"))
        .forEach(file -> file.toFile().delete());
    }
  }

  private static TableDescriptor withJar(Path jar, String name) throws IOException {
    return TableDescriptorBuilder.newBuilder(table()).setCoprocessor(CoprocessorDescriptorBuilder.newBuilder(name)
      .setJarPath("file://" + jar).setPriority(1).build()).build();
  }

  @Test
  public void abortsOnErrorIfTold() throws IOException {
    klip.settings.put("hbase.coprocessor.abortonerror", "true");
    open(Observers.Bad.class);
    assertThrows(org.apache.hadoop.hbase.regionserver.RegionServerAbortedException.class,
      () -> klip.write(put("a", "x")));
  }

  @Test
  public void hooksCallBack() throws IOException {
    open(Observers.Caller.class);
    klip.write(put("a", "1"));
    assertEquals("1", klip.value("copy of a", "q"));
    klip.write(put("a", "2"));
    assertEquals(List.of("old nothing", "old nothing", "caller alice then alice", "old 1", "old 1",
      "caller alice then alice"), SEEN);
  }

  @Test
  public void aLockedHookCannotWrite() throws IOException {
    open(Observers.Caller.class);
    IOException error = assertThrows(DoNotRetryIOException.class, () -> klip.write(put("writes locked", "1")));
    assertTrue(error.getMessage(), error.getMessage().contains("use addOperationsFromCP"));
  }

  @Test
  public void ownThreadsUseTheBackgroundConnection() throws Exception {
    open(Observers.OwnThread.class);
    klip.write(put("a", "1"), put("b", "1"), put("c", "1"));
    try (FakeKlip background = new FakeKlip(directory.resolve("s"))) {
      background.cells.addAll(klip.cells);
      Thread thread = new Thread(() -> {
        try {
          background.session.exchange(Call.BACKGROUND, output -> { });
        } catch (IOException e) {
          background.log.add("closed");
        }
      });
      thread.start();
      for (int tries = 0; SEEN.isEmpty(); tries++) {
        try {
          klip.get(new Get(Bytes.toBytes("a")));
        } catch (IOException e) {
          assertTrue("the connection comes", tries < 1000 && e.getMessage().contains("no connection"));
        }
      }
      assertEquals(List.of("rows 3"), SEEN);
    }
  }

  @Test
  public void readsAreWatchedAndChanged() throws IOException {
    open(Observers.Reads.class);
    klip.write(put("a", "1"), put("b", "2"), put("hide", "3"));
    assertEquals("1", Bytes.toString(klip.get(new Get(Bytes.toBytes("a"))).value()));
    assertEquals(List.of("postGetOp 1 of 2"), SEEN);
    assertEquals("instead", Bytes.toString(klip.get(new Get(Bytes.toBytes("bypass"))).value()));
    assertTrue(klip.get(new Get(Bytes.toBytes("hide"))).isEmpty());
    assertFalse(klip.get(new Get(Bytes.toBytes("a")).setCheckExistenceOnly(true)).getExists());
    assertTrue(klip.get(new Get(Bytes.toBytes("none")).setCheckExistenceOnly(true)).getExists());
  }

  @Test
  public void scannersAreWatched() throws IOException {
    open(Observers.Reads.class);
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < 2500; i++) {
      puts.add(put("b" + (10000 + i), "v"));
    }
    puts.add(put("a", "v"));
    puts.add(put("hide", "v"));
    klip.write(puts.toArray(new Mutation[0]));
    assertEquals(2501, klip.scan(new Scan(), 100).size());
    assertTrue(SEEN.contains("postScannerClose"));
    List<Result> rows = klip.scan(new Scan().setAttribute("change", new byte[1]), 3000);
    assertEquals(2500, rows.size());
    assertTrue(klip.log.contains("scan changed"));
    assertArrayEquals(Bytes.toBytes("b10000"), rows.get(0).getRow());
  }

  @Test
  public void scannersAreWrapped() throws IOException {
    open(Observers.Wrapping.class);
    klip.write(put("a", "1"), put("b", "2"), put("c", "3"), put("d", "4"));
    List<Result> rows = klip.scan(new Scan(), 10);
    assertEquals(2, rows.size());
    assertEquals("d", Bytes.toString(rows.get(1).getRow()));
    open(Observers.Noop.class);
    assertNull("klip reads by itself", klip.scan(new Scan(), 10));
  }

  @Test
  public void runsAFilterThatKlipDoesNotHave() throws IOException {
    open(Observers.Filtering.class);
    klip.write(put("a", "1"), put("b", "no"), put("c", "3"));
    List<Result> rows = klip.scan(new Scan(), 10);
    assertEquals(2, rows.size());
    assertEquals("c", Bytes.toString(rows.get(1).getRow()));
    assertEquals("1", Bytes.toString(klip.get(new Get(Bytes.toBytes("a"))).value()));
    assertTrue(klip.get(new Get(Bytes.toBytes("b"))).isEmpty());
    assertTrue(klip.get(new Get(Bytes.toBytes("a")).setCheckExistenceOnly(true)).getExists());
    assertFalse(klip.get(new Get(Bytes.toBytes("b")).setCheckExistenceOnly(true)).getExists());
  }

  @Test
  public void aCompactionsScannerEndsAfterItsLastRow() throws IOException {
    open(Observers.Chopping.class);
    klip.write(put("a", "1"), new Put(Bytes.toBytes("b")).addColumn(FAMILY, Bytes.toBytes("q"), Bytes.toBytes("2"))
      .addColumn(FAMILY, Bytes.toBytes("r"), Bytes.toBytes("3")));
    assertEquals(3, klip.compact().size());
  }

  @Test
  public void aClosedRegionIsNotServed() throws IOException {
    open(Observers.Noop.class);
    klip.closeRegion();
    assertThrows(NotServingRegionException.class, () -> klip.write(put("a", "1")));
  }

  @Test
  public void countsHooks() throws IOException {
    open(Observers.Counter.class);
    klip.write(put("a", "1"), put("b", "1"));
    Input answer = klip.session.exchange(Call.STATISTICS, output -> { });
    boolean found = false;
    for (int count = answer.u32(); count > 0; count--) {
      String name = answer.string();
      String hook = answer.string();
      long calls = answer.u64();
      answer.u64();
      long nanoseconds = answer.u64();
      found |= name.equals(Observers.Counter.class.getName()) && hook.equals("prePut") && calls >= 2 && nanoseconds > 0;
    }
    assertTrue(found);
  }
}
