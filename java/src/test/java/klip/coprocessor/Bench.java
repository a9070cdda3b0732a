package klip.coprocessor;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.util.Bytes;

/** SOCKET [ROUNDS]: what calls to a host cost that has this class's observers on its class path. */
public final class Bench {
  private static FakeKlip klip;

  private Bench() {
  }

  public static void main(String[] arguments) throws IOException {
    int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 20000;
    klip = new FakeKlip(Path.of(arguments[0]));
    long begin = System.nanoTime();
    klip.start("");
    long started = System.nanoTime();
    open("Counter");
    System.out.printf("START %.1f ms, OPEN %.1f ms%n", (started - begin) / 1e6, (System.nanoTime() - started) / 1e6);
    for (int batch : new int[] {1, 10, 100, 1000}) {
      measure(batch, rounds / Math.max(1, batch / 4));
    }
    open("Reads");
    gets(rounds / 2);
    System.exit(0);
  }

  private static void open(String observer) throws IOException {
    TableName name = TableName.valueOf("t");
    klip.open(RegionInfoBuilder.newBuilder(name).build(), TableDescriptorBuilder.newBuilder(name)
      .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
      .setCoprocessor("klip.coprocessor.Observers$" + observer).build());
  }

  private static void measure(int batch, int rounds) throws IOException {
    List<Mutation> puts = new ArrayList<>();
    for (int i = 0; i < batch; i++) {
      puts.add(new Put(Bytes.toBytes("row" + i)).addColumn(Bytes.toBytes("f"), Bytes.toBytes("q"), new byte[100]));
    }
    long[] times = new long[rounds];
    for (int round = 0; round < rounds; round++) {
      int number = round;
      long begin = System.nanoTime();
      klip.session.send(Call.WRITE, output -> {
        output.u8(1).u8(3).u32(number).string("alice").string("10.0.0.7:1234").u8(0).u8(0).u32(1).u64(klip.region);
        output.u32(batch);
        for (Mutation put : puts) {
          Messages.write(output, put);
        }
      });
      long sent = batch == 1 ? begin : System.nanoTime();
      klip.session.answer();
      times[round] = System.nanoTime() - sent;
    }
    print(batch + " puts", times, batch);
  }

  private static void gets(int rounds) throws IOException {
    long[] times = new long[rounds];
    Get get = new Get(Bytes.toBytes("row1"));
    Result empty = Result.EMPTY_RESULT;
    for (int round = 0; round < rounds; round++) {
      int number = round;
      long begin = System.nanoTime();
      klip.session.exchange(Call.GET, output -> output.u8(1).u8(1).u32(number).string("bob").string("")
        .u64(klip.region).message(ProtobufUtil.toGet(get)));
      klip.session.exchange(Call.GET, output -> Messages.write(output.u8(2).u8(2).u32(number), empty));
      times[round] = System.nanoTime() - begin;
    }
    print("get, before and after", times, 1);
  }

  private static void print(String what, long[] times, int each) {
    long[] last = Arrays.copyOfRange(times, times.length / 2, times.length);
    Arrays.sort(last);
    System.out.printf("%-24s p50 %.2f us a frame, %.3f us each%n", what, last[last.length / 2] / 1e3,
      last[last.length / 2] / 1e3 / each);
  }
}
