package klip.coprocessor;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import com.google.protobuf.Message;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.example.generated.BulkDeleteProtos;
import org.apache.hadoop.hbase.coprocessor.example.generated.ExampleProtos;
import org.apache.hadoop.hbase.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.protobuf.generated.AggregateProtos;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** Published coprocessors, unmodified. */
public class StockTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] COLUMN = Bytes.toBytes("q");
  private Path directory;
  private Host host;
  private FakeKlip klip;

  @Before
  public void start() throws IOException {
    directory = Files.createTempDirectory("klip");
    host = Host.start(directory.resolve("s"));
    klip = new FakeKlip(directory.resolve("s"));
    klip.start("");
  }

  @After
  public void stop() throws IOException {
    klip.close();
    host.close();
    Files.delete(directory);
  }

  private void open(CoprocessorDescriptorBuilder coprocessor) throws IOException {
    TableName name = TableName.valueOf("t");
    klip.open(RegionInfoBuilder.newBuilder(name).build(), TableDescriptorBuilder.newBuilder(name)
      .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY)).setCoprocessor(coprocessor.build()).build());
    assertEquals(List.of(), klip.leftOut);
    assertEquals(1, klip.loaded.size());
  }

  private void open(String name) throws IOException {
    open(CoprocessorDescriptorBuilder.newBuilder(name));
  }

  private static CoprocessorDescriptorBuilder example(String name) {
    return CoprocessorDescriptorBuilder.newBuilder("org.apache.hadoop.hbase.coprocessor.example." + name);
  }

  private void fill(int rows) throws IOException {
    List<Mutation> puts = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      puts.add(new Put(Bytes.toBytes(String.format("row%06d", i))).addColumn(FAMILY, COLUMN, Bytes.toBytes((long) i)));
    }
    klip.write(0, null, puts);
  }

  @Test
  public void rewritesValuesInCompactions() throws IOException {
    String settings = "hbase.examples.coprocessor.value.rewrite.";
    open(example("ValueRewritingObserver").setProperty(settings + "orig", "old")
      .setProperty(settings + "replaced", "new"));
    for (String row : new String[] { "a", "b" }) {
      byte[] value = Bytes.toBytes(row.equals("a") ? "old" : "other");
      klip.write(new Put(Bytes.toBytes(row)).addColumn(FAMILY, COLUMN, value));
    }
    List<String> values = new ArrayList<>();
    klip.compact().forEach(cell -> values.add(Bytes.toString(CellUtil.cloneValue(cell))));
    assertEquals(List.of("new", "other"), values);
    open(example("ScanModifyingObserver").setProperty("hbase.examples.coprocessor.scanmodifying.family", "f")
      .setProperty("hbase.examples.coprocessor.scanmodifying.qualifier", "q"));
    assertNull("klip compacts by itself", klip.compact());
  }

  @Test
  public void aggregates() throws IOException {
    open("org.apache.hadoop.hbase.coprocessor.AggregateImplementation");
    fill(3000);
    AggregateProtos.AggregateRequest request = AggregateProtos.AggregateRequest.newBuilder()
      .setInterpreterClassName("org.apache.hadoop.hbase.client.coprocessor.LongColumnInterpreter")
      .setScan(ProtobufUtil.toScan(new Scan().addColumn(FAMILY, COLUMN))).build();
    assertEquals(3000L * 2999 / 2, aggregate("GetSum", request));
    assertEquals(3000, aggregate("GetRowNum", request));
    assertEquals(2999, aggregate("GetMax", request));
  }

  private long aggregate(String method, AggregateProtos.AggregateRequest request) throws IOException {
    AggregateProtos.AggregateResponse response = klip.service(request, "AggregateService", method,
      AggregateProtos.AggregateResponse.getDefaultInstance());
    byte[] part = response.getFirstPart(0).toByteArray();
    return method.equals("GetRowNum") ? Bytes.toLong(part) : number(part);
  }

  private static long number(byte[] part) throws IOException {
    return org.apache.hadoop.hbase.protobuf.generated.HBaseProtos.LongMsg.parseFrom(part).getLongMsg();
  }

  @Test
  public void countsRows() throws IOException {
    open("org.apache.hadoop.hbase.coprocessor.example.RowCountEndpoint");
    fill(2100);
    Message none = ExampleProtos.CountRequest.getDefaultInstance();
    String service = "RowCountService";
    assertEquals(2100, klip.service(none, service, "getRowCount", ExampleProtos.CountResponse.getDefaultInstance())
      .getCount());
    assertEquals(2100, klip.service(none, service, "getKeyValueCount",
      ExampleProtos.CountResponse.getDefaultInstance()).getCount());
  }

  @Test
  public void deletesInBulk() throws IOException {
    open("org.apache.hadoop.hbase.coprocessor.example.BulkDeleteEndpoint");
    fill(1200);
    BulkDeleteProtos.BulkDeleteRequest request = BulkDeleteProtos.BulkDeleteRequest.newBuilder()
      .setScan(ProtobufUtil.toScan(new Scan().withStartRow(Bytes.toBytes("row000200"))))
      .setDeleteType(BulkDeleteProtos.BulkDeleteRequest.DeleteType.ROW).setRowBatchSize(500).build();
    BulkDeleteProtos.BulkDeleteResponse response = klip.service(request, "BulkDeleteService", "delete",
      BulkDeleteProtos.BulkDeleteResponse.getDefaultInstance());
    assertEquals(1000, response.getRowsDeleted());
    assertEquals(200, klip.cells.size());
  }

  @Test
  public void writesManyIncrements() throws IOException {
    open("org.apache.hadoop.hbase.coprocessor.example.WriteHeavyIncrementObserver");
    byte[] row = Bytes.toBytes("counter");
    for (int i = 1; i <= 5; i++) {
      klip.write(new Increment(row).addColumn(FAMILY, COLUMN, 10 * i));
    }
    assertEquals("each increment became a put", 5, klip.cells.size());
    assertEquals(150, Bytes.toLong(klip.get(new Get(row).addColumn(FAMILY, COLUMN)).value()));
  }

  @Test
  public void loadsOthers() throws IOException {
    for (String name : List.of("coprocessor.example.RefreshHFilesEndpoint",
      "coprocessor.example.ExampleRegionObserverWithMetrics", "coprocessor.Export",
      "constraint.ConstraintProcessor", "tool.WriteSinkCoprocessor",
      "coprocessor.MultiRowMutationEndpoint", "backup.BackupObserver", "coprocessor.MetaTableMetrics",
      "security.access.SecureBulkLoadEndpoint")) {
      open("org.apache.hadoop.hbase." + name);
      klip.closeRegion();
    }
    open(CoprocessorDescriptorBuilder.newBuilder("org.apache.hadoop.hbase.coprocessor.example.ValueRewritingObserver")
      .setProperty("hbase.examples.coprocessor.value.rewrite.orig", "old")
      .setProperty("hbase.examples.coprocessor.value.rewrite.replaced", "new"));
    CoprocessorDescriptorBuilder scans =
      CoprocessorDescriptorBuilder.newBuilder("org.apache.hadoop.hbase.coprocessor.example.ScanModifyingObserver")
        .setProperty("hbase.examples.coprocessor.scanmodifying.family", "f")
        .setProperty("hbase.examples.coprocessor.scanmodifying.qualifier", "added");
    open(scans);
    klip.write(new Put(Bytes.toBytes("a")).addColumn(FAMILY, COLUMN, COLUMN));
    klip.scan(new Scan().addColumn(FAMILY, COLUMN), 10);
    assertTrue(klip.log.contains("scan changed"));
  }
}
