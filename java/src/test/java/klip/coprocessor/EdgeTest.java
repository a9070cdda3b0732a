package klip.coprocessor;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.regionserver.WrongRegionException;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** What hooks rarely do, with the outcome that it has in HBase. */
public class EdgeTest {
  private static final TableName NAME = TableName.valueOf("t");
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] COLUMN = Bytes.toBytes("q");
  private Path directory;
  private Host host;
  private FakeKlip klip;

  /** Does to a row what its name says. */
  public static class Edges extends Observers.Noop {
    private static String name(byte[] row) {
      return Bytes.toString(row);
    }

    @Override
    public void prePut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit) {
      if (name(put.getRow()).equals("clear")) {
        put.getFamilyCellMap().clear();
      }
    }

    @Override
    public void postPut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit) {
      Observers.SEEN.add("postPut " + name(put.getRow()) + " " + put.size());
    }

    @Override
    public void prePrepareTimeStampForDeleteVersion(ObserverContext<RegionCoprocessorEnvironment> context,
        Mutation mutation, Cell cell, byte[] now, Get get) {
      if (name(mutation.getRow()).startsWith("nothing") && Bytes.equals(CellUtil.cloneQualifier(cell), COLUMN)) {
        context.bypass();
      }
    }

    @Override
    public void postDelete(ObserverContext<RegionCoprocessorEnvironment> context, Delete delete, WALEdit edit) {
      Observers.SEEN.add("postDelete " + delete.size());
    }

    @Override
    public void preBatchMutate(ObserverContext<RegionCoprocessorEnvironment> context,
        MiniBatchOperationInProgress<Mutation> batch) {
      for (int i = 0; i < batch.size(); i++) {
        byte[] row = batch.getOperation(i).getRow();
        if (name(row).equals("failure")) {
          batch.setOperationStatus(i, new OperationStatus(OperationStatusCode.FAILURE, "planned"));
        } else if (name(row).equals("insane")) {
          batch.setOperationStatus(i, new OperationStatus(OperationStatusCode.SANITY_CHECK_FAILURE, "planned"));
        } else if (name(row).equals("outside")) {
          batch.addOperationsFromCP(i, new Mutation[] {new Put(Bytes.toBytes("z")).addColumn(FAMILY, COLUMN, row)});
        }
      }
    }

    @Override
    public Result preIncrementAfterRowLock(ObserverContext<RegionCoprocessorEnvironment> context, Increment increment) {
      if (!name(increment.getRow()).startsWith("bypass")) {
        return null;
      }
      context.bypass();
      return Result.create(List.of(new KeyValue(increment.getRow(), FAMILY, COLUMN, Bytes.toBytes(77L))));
    }

    @Override
    public Result postIncrement(ObserverContext<RegionCoprocessorEnvironment> context, Increment increment,
        Result result, WALEdit edit) {
      return name(increment.getRow()).equals("null") ? null : result;
    }

    @Override
    public void preGetOp(ObserverContext<RegionCoprocessorEnvironment> context, Get get, List<Cell> result) {
      if (name(get.getRow()).startsWith("fill")) {
        result.add(new KeyValue(get.getRow(), FAMILY, Bytes.toBytes("a"), Bytes.toBytes("filled")));
      }
    }

    @Override
    public void postGetOp(ObserverContext<RegionCoprocessorEnvironment> context, Get get, List<Cell> result) {
      if (name(get.getRow()).startsWith("hide")) {
        result.clear();
      }
    }

    @Override
    public boolean preScannerNext(ObserverContext<RegionCoprocessorEnvironment> context, InternalScanner scanner,
        List<Result> results, int limit, boolean hasNext) {
      context.bypass();
      return Observers.SEEN.contains("the end");
    }

    @Override
    public boolean postScannerNext(ObserverContext<RegionCoprocessorEnvironment> context, InternalScanner scanner,
        List<Result> results, int limit, boolean hasNext) {
      return false;
    }
  }

  @Before
  public void start() throws IOException {
    Observers.SEEN.clear();
    directory = Files.createTempDirectory("klip-edges");
    host = Host.start(directory.resolve("socket"));
    klip = new FakeKlip(directory.resolve("socket"));
    klip.start("");
    klip.open(RegionInfoBuilder.newBuilder(NAME).setEndKey(Bytes.toBytes("y")).build(),
      TableDescriptorBuilder.newBuilder(NAME).setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
        .setCoprocessor(CoprocessorDescriptorBuilder.newBuilder(Edges.class.getName()).build()).build());
  }

  @After
  public void stop() throws IOException {
    klip.close();
    host.close();
    Files.delete(directory);
  }

  private static Put put(String row) {
    return new Put(Bytes.toBytes(row)).addColumn(FAMILY, COLUMN, Bytes.toBytes(row));
  }

  private static Increment increment(String row) {
    return new Increment(Bytes.toBytes(row)).addColumn(FAMILY, COLUMN, 5);
  }

  @Test
  public void aStatusIsThatOfOneMutationOfAList() throws IOException {
    FakeKlip.Operation done = klip.write(2, null, List.of(put("a"), put("failure"), put("insane"), put("b")));
    assertEquals("org.apache.hadoop.hbase.DoNotRetryIOException: planned", done.errors[1]);
    assertEquals("org.apache.hadoop.hbase.exceptions.FailedSanityCheckException: planned", done.errors[2]);
    assertEquals("a", klip.value("a", "q"));
    assertEquals("b", klip.value("b", "q"));
    assertNull(klip.value("failure", "q"));
    assertEquals(List.of("postPut a 1", "postPut b 1"), Observers.SEEN);
  }

  @Test
  public void aSingleMutationWithStatusFailureIsNotWritten() throws IOException {
    klip.write(put("failure"));
    assertNull(klip.value("failure", "q"));
    assertThrows(org.apache.hadoop.hbase.exceptions.FailedSanityCheckException.class, () -> klip.write(put("insane")));
    assertEquals(List.of(), Observers.SEEN);
  }

  @Test
  public void aPutWithoutCellsIsDone() throws IOException {
    klip.write(put("clear"), put("a"));
    assertNull(klip.value("clear", "q"));
    assertEquals("a", klip.value("a", "q"));
    assertEquals(List.of("postPut clear 0", "postPut a 1"), Observers.SEEN);
  }

  @Test
  public void aVersionThatAHookDoesNotNameStays() throws IOException {
    klip.write(put("nothing"), put("some"));
    Observers.SEEN.clear();
    klip.write(new Delete(Bytes.toBytes("nothing")).addColumn(FAMILY, COLUMN),
      new Delete(Bytes.toBytes("some")).addColumn(FAMILY, COLUMN));
    assertEquals("nothing", klip.value("nothing", "q"));
    assertNull(klip.value("some", "q"));
    Put two = put("nothing else").addColumn(FAMILY, FAMILY, FAMILY);
    klip.write(two);
    klip.write(new Delete(Bytes.toBytes("nothing else")).addColumn(FAMILY, COLUMN).addColumn(FAMILY, FAMILY));
    assertEquals("nothing else", klip.value("nothing else", "q"));
    assertNull(klip.value("nothing else", "f"));
    assertEquals(List.of("postDelete 1", "postDelete 1", "postPut nothing else 2", "postDelete 2"), Observers.SEEN);
  }

  @Test
  public void anAddedRowOfAnotherRegionFailsTheBatch() {
    IOException error = assertThrows(WrongRegionException.class, () -> klip.write(put("a"), put("outside")));
    assertTrue(error.getMessage(), error.getMessage().startsWith(
      "Requested row out of range for batchMutate on HRegion t,,"));
    assertTrue(error.getMessage(), error.getMessage().endsWith("startKey='', getEndKey()='y', row='z'"));
    assertNull(klip.value("a", "q"));
  }

  @Test
  public void aCountersResultIsWhatHooksMakeOfIt() throws IOException {
    assertTrue(klip.write(increment("null")).results[0].isEmpty());
    assertEquals(5, Bytes.toLong(klip.write(increment("n")).results[0].value()));
    assertEquals(77, Bytes.toLong(klip.write(increment("bypass")).results[0].value()));
    assertTrue(klip.write(increment("bypassed").setReturnResults(false)).results[0].isEmpty());
  }

  @Test
  public void aHookMayAddToWhatAGetReads() throws IOException {
    klip.write(put("fill"), put("hide"));
    Result filled = klip.get(new Get(Bytes.toBytes("fill")));
    assertEquals(2, filled.size());
    assertEquals("filled", Bytes.toString(CellUtil.cloneValue(filled.rawCells()[0])));
    assertTrue(klip.get(new Get(Bytes.toBytes("fill nothing")).setCheckExistenceOnly(true)).getExists());
    assertFalse(klip.get(new Get(Bytes.toBytes("hide")).setCheckExistenceOnly(true)).getExists());
    assertTrue(klip.get(new Get(Bytes.toBytes("hide")).setCheckExistenceOnly(false)).isEmpty());
  }

  @Test
  public void aScanEndsOnlyIfAHookAnswersIt() throws IOException {
    klip.write(put("a"), put("b"), put("c"));
    assertEquals(3, klip.scan(new Scan(), 1).size());
    Observers.SEEN.add("the end");
    assertEquals(0, klip.scan(new Scan(), 1).size());
  }

  @Test
  public void aMalformedSpecificationIsLeftOut() throws IOException {
    for (String bad : List.of("|" + Edges.class.getName() + "|abc", "|" + Edges.class.getName() + "|-5",
      Edges.class.getName(), "||1001|")) {
      var table = TableDescriptorBuilder.newBuilder(NAME).setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
        .setValue("coprocessor$1", bad).build();
      IOException error = assertThrows(DoNotRetryIOException.class, () -> klip.check(table));
      assertTrue(error.getMessage(), error.getMessage().matches(
        "coprocessor\\$1: Format does not match \\(\\^.*"));
      klip.open(RegionInfoBuilder.newBuilder(NAME).build(), table);
      assertEquals(bad, 1, klip.leftOut.size());
    }
  }

  @Test
  public void aServerDoesNotStartWithoutItsClasses() {
    for (Map.Entry<String, String> bad : Map.of("hbase.coprocessor.region.classes", "no.such.Class",
      "hbase.coprocessor.user.region.classes", Edges.class.getName() + "|high").entrySet()) {
      klip.settings.clear();
      klip.settings.put(bad.getKey(), bad.getValue());
      IOException error = assertThrows(IOException.class, () -> klip.start(""));
      assertTrue(error.getMessage(), error.getMessage().startsWith("The coprocessor "));
    }
  }
}
