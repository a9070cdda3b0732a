package klip.coprocessor;

import static klip.coprocessor.Observers.SEEN;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.protobuf.generated.DummyRegionServerEndpointProtos.DummyRequest;
import org.apache.hadoop.hbase.coprocessor.protobuf.generated.DummyRegionServerEndpointProtos.DummyResponse;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos;
import org.apache.hadoop.hbase.shaded.protobuf.generated.HBaseProtos;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** Hooks of the master, the region server, the log and of regions' files. */
public class SystemTest {
  private static final RegionInfo REGION = RegionInfoBuilder.newBuilder(TableName.valueOf("t")).build();
  private Path directory;
  private Host host;
  private FakeKlip klip;

  @Before
  public void start() throws IOException {
    directory = Files.createTempDirectory("klip");
    host = Host.start(directory.resolve("s"));
    klip = new FakeKlip(directory.resolve("s"));
    klip.settings.put("hbase.coprocessor.master.classes", SystemObservers.Master.class.getName());
    klip.settings.put("hbase.coprocessor.regionserver.classes", SystemObservers.Server.class.getName());
    klip.settings.put("hbase.coprocessor.wal.classes", SystemObservers.Log.class.getName());
    SEEN.clear();
  }

  @After
  public void stop() throws IOException {
    klip.close();
    host.close();
    Files.delete(directory);
  }

  private static TableDescriptor table(String name) {
    return TableDescriptorBuilder.newBuilder(TableName.valueOf(name))
      .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f")).build();
  }

  private Input master(String hook, Session.Writer arguments) throws IOException {
    return klip.session.exchange(Call.MASTER, output -> arguments.write(output.string(hook).string("eve").string("")));
  }

  private void create(String name) throws IOException {
    master("preCreateTable", output -> output.u32(2).u8('D').message(ProtobufUtil.toTableSchema(table(name))).u8('R')
      .message(ProtobufUtil.toRegionInfo(REGION)));
  }

  @Test
  public void startNamesHooksAndServices() throws IOException {
    Input answer = klip.session.exchange(Call.START, output -> {
      output.string("").u32(klip.settings.size());
      klip.settings.forEach((key, value) -> output.string(key).string(value));
    });
    assertEquals(List.of("preRollWALWriterRequest"), FakeKlip.strings(answer));
    assertEquals(List.of("postGetTableDescriptors", "preCreateTable", "preModifyTable"), FakeKlip.strings(answer));
    assertEquals(List.of("postWALWrite"), FakeKlip.strings(answer));
    assertEquals(List.of("hbase.test.pb.DummyService"), FakeKlip.strings(answer));
    assertEquals(List.of(), FakeKlip.strings(answer));
  }

  @Test
  public void masterHooksAreFoundByName() throws IOException {
    klip.start("");
    create("yes");
    assertEquals(List.of("preCreateTable yes by eve in 1"), SEEN);
    assertEquals("not this one", assertThrows(DoNotRetryIOException.class, () -> create("no")).getMessage());
    IOException error = assertThrows(IOException.class, () -> master("preNothing", output -> output.u32(0)));
    assertTrue(error.getMessage(), error.getMessage().contains("no hook preNothing"));
    error = assertThrows(DoNotRetryIOException.class, () -> create("bad"));
    assertTrue(error.getMessage(), error.getMessage().contains("has been removed from the active coprocessor set"));
    create("no");
  }

  @Test
  public void aMasterHookReplacesADescriptor() throws IOException {
    klip.start("");
    Input answer = master("preModifyTable", output -> {
      output.u32(3).u8('T').string("default:t");
      output.u8('D').message(ProtobufUtil.toTableSchema(table("t")));
      output.u8('D').message(ProtobufUtil.toTableSchema(table("t")));
    });
    assertEquals(1, answer.u8());
    assertEquals('D', answer.u8());
    assertEquals(77,
      ProtobufUtil.toTableDescriptor(answer.message(HBaseProtos.TableSchema.parser())).getMaxFileSize());
  }

  @Test
  public void aMasterHookShortensAList() throws IOException {
    klip.start("");
    Input answer = master("postGetTableDescriptors", output -> {
      output.u32(3).u8('0').u32(0).u8('L').u32(0).u32(2);
      output.u8('D').message(ProtobufUtil.toTableSchema(table("a")));
      output.u8('D').message(ProtobufUtil.toTableSchema(table("b")));
      output.u8('s').string(".*");
    });
    assertEquals(2, answer.u8());
    assertEquals(1, answer.u32());
    assertEquals(1, answer.u32());
    assertEquals('D', answer.u8());
    assertEquals("b", ProtobufUtil.toTableDescriptor(answer.message(HBaseProtos.TableSchema.parser())).getTableName()
      .getNameAsString());
  }

  @Test
  public void theServerHasHooksAndEndpoints() throws IOException {
    klip.start("");
    klip.session.exchange(Call.RS_EVENT, output -> output.string("preRollWALWriterRequest").string("").string(""));
    klip.session.exchange(Call.RS_EVENT, output -> output.string("postWALWrite").string("").string("").u32(3).u8('R')
      .message(ProtobufUtil.toRegionInfo(REGION)).u8('0').u32(0).u8('W').u32(0)
      .cell(new KeyValue(Bytes.toBytes("r"), Bytes.toBytes("f"), Bytes.toBytes("q"), Bytes.toBytes("v"))));
    assertEquals(List.of("preRollWALWriterRequest", "postWALWrite t 1"), SEEN);
    assertEquals("called", DummyResponse.parseFrom(dummy("dummyCall")).getValue());
    assertEquals("thrown", assertThrows(DoNotRetryIOException.class, () -> dummy("dummyThrow")).getMessage());
  }

  private byte[] dummy(String method) throws IOException {
    ClientProtos.CoprocessorServiceCall call = ClientProtos.CoprocessorServiceCall.newBuilder()
      .setRow(org.apache.hbase.thirdparty.com.google.protobuf.ByteString.EMPTY).setServiceName("hbase.test.pb.DummyService")
      .setMethodName(method).setRequest(org.apache.hbase.thirdparty.com.google.protobuf.ByteString
        .copyFrom(DummyRequest.getDefaultInstance().toByteArray()))
      .build();
    Input answer = klip.session.exchange(Call.SERVICE,
      output -> output.u8(1).string("bob").string("").u64(0).message(call));
    assertEquals(DummyResponse.class.getName(), answer.string());
    return answer.bytes();
  }

  private Input event(String hook, String family, Session.Writer more) throws IOException {
    return klip.session.exchange(Call.REGION_EVENT,
      output -> more.write(output.string("bob").string("10.0.0.7").string(hook).u64(klip.region).string(family)));
  }

  @Test
  public void regionsHaveEvents() throws IOException {
    klip.start("");
    klip.open(REGION, TableDescriptorBuilder.newBuilder(table("t"))
      .setCoprocessor(SystemObservers.Files.class.getName()).build());
    assertTrue(klip.hooks.containsAll(List.of("preFlush", "preCompact", "prePrepareBulkLoad")));
    event("preFlush", "", output -> { });
    event("preFlush", "f", output -> { });
    event("postFlush", "f", output -> { });
    event("preCompactSelection", "f", output -> { });
    event("postCompactSelection", "f", output -> { });
    event("preCompact", "f", output -> output.flag(true));
    event("postCompact", "f", output -> output.flag(true));
    event("prePrepareBulkLoad", "", output -> { });
    event("preBulkLoadHFile", "", output -> output.u32(1).string("f").string("/a/b"));
    IOException error = assertThrows(IOException.class,
      () -> event("preBulkLoadHFile", "", output -> output.u32(1).string("f").string("/a/drop")));
    assertTrue(error.getMessage(), error.getMessage().contains("preBulkLoadHFile changed them"));
    event("preCommitStoreFile", "", output -> output.u32(2).string("f").string("/a/b").string("f").string("/a/c"));
    event("postBulkLoadHFile", "", output -> output.u32(1).string("f").string("/a/b"));
    assertEquals(List.of("preFlush", "preCompact f COMPACT_DROP_DELETES", "postCompact true", "prePrepareBulkLoad bob",
      "preBulkLoadHFile /a/b", "preBulkLoadHFile /a/drop", "preCommitStoreFile 2"), SEEN);
    Input options = event("preCompactScannerOpen", "f", output -> { });
    assertEquals(5000, options.u64());
    assertEquals(7, options.u32());
    assertEquals(0, options.u32());
    assertEquals(0, options.u8());
  }

  @Test
  public void startFailsWithASystemClass() {
    klip.settings.put("hbase.coprocessor.master.classes", "no.such.Class");
    IOException error = assertThrows(org.apache.hadoop.hbase.regionserver.RegionServerAbortedException.class,
      () -> klip.start(""));
    assertTrue(error.getMessage(), error.getMessage().contains("no.such.Class"));
  }
}
