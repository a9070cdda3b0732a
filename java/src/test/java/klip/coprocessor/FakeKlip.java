package klip.coprocessor;

import java.io.Closeable;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.Condition;
import org.apache.hadoop.hbase.util.Bytes;

/** klip's side of the protocol, over one table of cells in memory. Reads give all versions. */
final class FakeKlip implements Dispatcher, Closeable {
  static final long NOW = 1000;
  final TreeSet<Cell> cells = new TreeSet<>(CellComparator.getInstance());
  final Session session;
  final List<String> log = new ArrayList<>();
  final Map<String, String> settings = new TreeMap<>();
  boolean stamps;
  String user = "alice";
  long region;
  List<String> hooks;
  List<String> services;
  List<String> loaded;
  List<String> leftOut;
  private int lastOperation;
  private int lastScanner;
  private boolean locked;
  private final Map<Integer, Iterator<Result>> scanners = new HashMap<>();
  private final SocketChannel channel;

  FakeKlip(Path socket) throws IOException {
    channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    channel.connect(UnixDomainSocketAddress.of(socket));
    session = new Session(channel, this);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  String start(String address) throws IOException {
    Input answer = session.exchange(Call.START, output -> {
      output.string(address).u32(settings.size());
      settings.forEach((key, value) -> output.string(key).string(value));
    });
    for (int list = 0; list < 5; list++) {
      strings(answer);
    }
    return answer.string();
  }

  static List<String> strings(Input input) {
    List<String> result = new ArrayList<>();
    for (int count = input.u32(); count > 0; count--) {
      result.add(input.string());
    }
    return result;
  }

  void check(TableDescriptor table) throws IOException {
    session.exchange(Call.CHECK, output -> output.message(ProtobufUtil.toTableSchema(table)));
  }

  void open(RegionInfo info, TableDescriptor table) throws IOException {
    Input answer = session.exchange(Call.OPEN, output -> output.message(ProtobufUtil.toRegionInfo(info))
      .message(ProtobufUtil.toTableSchema(table)));
    region = answer.u64();
    hooks = strings(answer);
    services = strings(answer);
    loaded = new ArrayList<>();
    for (int count = answer.u32(); count > 0; count--) {
      loaded.add(answer.string() + "|" + answer.u32());
    }
    leftOut = strings(answer);
  }

  void closeRegion() throws IOException {
    session.exchange(Call.CLOSE, output -> output.u64(region).u8(0));
  }

  /** What klip knows of one write. */
  final class Operation {
    final int number = ++lastOperation;
    final int kind;
    final Condition condition;
    final Mutation[] mutations;
    final boolean[] pending;
    final Result[] results;
    final String[] errors;
    final List<Mutation> added = new ArrayList<>();
    boolean first = true;
    Boolean checked;

    Operation(int kind, Condition condition, List<? extends Mutation> mutations) {
      this.kind = kind;
      this.condition = condition;
      this.mutations = mutations.toArray(new Mutation[0]);
      pending = new boolean[this.mutations.length];
      java.util.Arrays.fill(pending, true);
      results = new Result[this.mutations.length];
      errors = new String[this.mutations.length];
    }

    Input call(int phase, Session.Writer more) throws IOException {
      boolean carries = first;
      first = false;
      return session.exchange(Call.WRITE, output -> {
        output.u8(phase).u8((carries ? 1 : 0) | (phase == 5 ? 2 : 0)).u32(number);
        if (carries) {
          output.string(user).string("10.0.0.7:1234").u8(kind).flag(condition != null);
          if (condition != null) {
            output.message(condition);
          }
          output.u32(1).u64(region).u32(mutations.length);
          for (Mutation mutation : mutations) {
            Messages.write(output, mutation);
          }
        }
        more.write(output);
      });
    }

    void verdicts(Input answer) throws IOException {
      for (int i = 0; i < mutations.length; i++) {
        int verdict = answer.u8();
        switch (verdict) {
          case 0:
            break;
          case 1:
            mutations[i] = Messages.mutation(answer);
            pending[i] = true;
            break;
          case 2:
            pending[i] = false;
            break;
          case 3:
            pending[i] = false;
            results[i] = Messages.result(answer);
            break;
          default:
            pending[i] = false;
            errors[i] = answer.string() + ": " + answer.string();
            answer.flag();
        }
        if (verdict != 0) {
          log.add("verdict " + verdict);
        }
      }
    }

    boolean answered(Input answer) throws IOException {
      if (!answer.flag()) {
        return false;
      }
      checked = answer.flag();
      Messages.result(answer);
      return true;
    }
  }

  Operation write(Mutation... mutations) throws IOException {
    return write(0, null, List.of(mutations));
  }

  /** Runs a write through all phases that the hooks of the region make necessary. */
  Operation write(int kind, Condition condition, List<? extends Mutation> mutations) throws IOException {
    Operation operation = new Operation(kind, condition, mutations);
    Input answer = operation.call(1, output -> { });
    if (operation.answered(answer)) {
      return operation;
    }
    operation.verdicts(answer);
    locked = true;
    try {
      if (kind == 1) {
        answer = operation.call(2, output -> { });
        if (operation.answered(answer)) {
          return operation;
        }
        operation.verdicts(answer);
        operation.checked = matches(condition);
      }
      if (kind != 1 || operation.checked) {
        commit(operation);
      }
    } finally {
      locked = false;
    }
    boolean written = kind != 1 || operation.checked;
    answer = operation.call(5, output -> {
      output.flag(written);
      for (int i = 0; i < operation.mutations.length; i++) {
        output.flag(written && operation.pending[i]);
        Messages.write(output, operation.results[i]);
      }
    });
    for (int i = 0; i < operation.mutations.length; i++) {
      if (answer.flag()) {
        operation.results[i] = Messages.result(answer);
      }
    }
    if (answer.flag()) {
      operation.checked = answer.flag();
    }
    return operation;
  }

  private void commit(Operation operation) throws IOException {
    Input answer = operation.call(3, output -> {
      if (stamps) {
        output.u64(NOW);
      }
    });
    operation.verdicts(answer);
    for (int count = answer.u32(); count > 0; count--) {
      answer.u32();
      operation.added.add(Messages.mutation(answer));
    }
    for (int i = 0; i < operation.mutations.length; i++) {
      if (operation.pending[i]) {
        operation.results[i] = apply(operation.mutations[i]);
      }
    }
    for (Mutation mutation : operation.added) {
      apply(mutation);
    }
    operation.call(4, output -> { });
  }

  private boolean matches(Condition condition) {
    for (Cell cell : cells) {
      if (CellUtil.matchingRows(cell, condition.getRow().toByteArray())
        && CellUtil.matchingQualifier(cell, condition.getQualifier().toByteArray())) {
        return true;
      }
    }
    return false;
  }

  private Result apply(Mutation mutation) throws IOException {
    List<Cell> written = new ArrayList<>();
    if (mutation instanceof Delete && mutation.isEmpty()) {
      cells.removeIf(one -> Bytes.equals(CellUtil.cloneRow(one), mutation.getRow()));
    }
    for (List<Cell> family : mutation.getFamilyCellMap().values()) {
      for (Cell cell : family) {
        byte[] value = CellUtil.cloneValue(cell);
        Cell old = find(cell);
        long time = cell.getTimestamp() == Long.MAX_VALUE ? NOW : cell.getTimestamp();
        if (mutation instanceof Increment && old != null) {
          value = Bytes.toBytes(Bytes.toLong(value) + Bytes.toLong(CellUtil.cloneValue(old)));
        } else if (mutation instanceof Append && old != null) {
          value = Bytes.add(CellUtil.cloneValue(old), value);
        }
        cells.removeIf(one -> CellUtil.matchingRows(one, cell) && CellUtil.matchingFamily(one, cell)
          && (mutation instanceof Delete && PrivateCellUtil.isDeleteFamily(cell)
            || CellUtil.matchingQualifier(one, cell) && (mutation instanceof Delete || one.getTimestamp() == time)));
        if (!(mutation instanceof Delete)) {
          written.add(new KeyValue(CellUtil.cloneRow(cell), CellUtil.cloneFamily(cell),
            CellUtil.cloneQualifier(cell), time, value));
        }
      }
    }
    cells.addAll(written);
    return mutation instanceof Increment || mutation instanceof Append ? Result.create(written) : null;
  }

  private Cell find(Cell wanted) {
    for (Cell cell : cells) {
      if (CellUtil.matchingRows(cell, wanted) && CellUtil.matchingColumn(cell, wanted)) {
        return cell;
      }
    }
    return null;
  }

  String value(String row, String qualifier) {
    for (Cell cell : cells) {
      if (Bytes.toString(CellUtil.cloneRow(cell)).equals(row)
        && Bytes.toString(CellUtil.cloneQualifier(cell)).equals(qualifier)) {
        return Bytes.toString(CellUtil.cloneValue(cell));
      }
    }
    return null;
  }

  /** All rows from begin to end, as a scanner sees them. */
  private List<Result> rows(byte[] begin, byte[] end) {
    List<Result> result = new ArrayList<>();
    List<Cell> row = new ArrayList<>();
    for (Cell cell : cells) {
      if (!row.isEmpty() && !CellUtil.matchingRows(row.get(0), cell)) {
        add(result, row, begin, end);
        row = new ArrayList<>();
      }
      row.add(cell);
    }
    add(result, row, begin, end);
    return result;
  }

  private static void add(List<Result> rows, List<Cell> cells, byte[] begin, byte[] end) {
    if (cells.isEmpty()) {
      return;
    }
    byte[] row = CellUtil.cloneRow(cells.get(0));
    if (Bytes.compareTo(row, begin) >= 0 && (end.length == 0 || Bytes.compareTo(row, end) < 0)) {
      rows.add(Result.create(cells));
    }
  }

  Result read(Get get) {
    return rows(get.getRow(), Bytes.add(get.getRow(), new byte[1])).stream().findFirst().orElse(Result.EMPTY_RESULT);
  }

  /** A get with its hooks. */
  Result get(Get get) throws IOException {
    int number = ++lastOperation;
    Input answer = session.exchange(Call.GET, output -> output.u8(1).u8(1).u32(number).string("bob").string("")
      .u64(region).message(ProtobufUtil.toGet(get)));
    int bits = answer.u8();
    if (bits == 1) {
      return Messages.result(answer);
    }
    Get wanted = bits == 2 ? ProtobufUtil.toGet(answer.message(ClientProtos.Get.parser())) : get;
    Result read = read(wanted);
    answer = session.exchange(Call.GET, output -> Messages.write(output.u8(2).u8(2).u32(number), read));
    return answer.flag() ? Messages.result(answer) : read;
  }

  /** A scan with its hooks; null: klip may read by itself. */
  List<Result> scan(Scan scan, int rowsAtOnce) throws IOException {
    Input answer = session.exchange(Call.SCAN_OPEN,
      output -> output.string("bob").string("").u64(region).message(ProtobufUtil.toScan(scan)));
    int bits = answer.u8();
    if ((bits & 1) != 0) {
      log.add("scan changed");
      answer.message(ClientProtos.Scan.parser());
    }
    int id = answer.u32();
    if ((bits & 2) != 0) {
      return null;
    }
    List<Result> result = new ArrayList<>();
    for (boolean more = true; more;) {
      answer = session.exchange(Call.SCAN_NEXT, output -> output.u32(id).u32(rowsAtOnce).u32(1 << 20));
      more = answer.flag();
      for (int count = answer.u32(); count > 0; count--) {
        List<Cell> row = new ArrayList<>();
        for (int number = answer.u32(); number > 0 && answer.advance(); number--) {
          row.add(answer.current());
        }
        result.add(Result.create(row));
      }
    }
    session.exchange(Call.SCAN_CLOSE, output -> output.u32(id));
    return result;
  }

  /** What the classes make of all cells of family f in a major compaction; null: they do not look at them. */
  List<Cell> compact() throws IOException {
    int source = ++lastScanner;
    scanners.put(source, rows(new byte[0], new byte[0]).iterator());
    int id = session.exchange(Call.REGION_EVENT,
      output -> output.string("bob").string("").string("preCompact").u64(region).string("f").flag(true).u32(source)).u32();
    if (id == 0) {
      return null;
    }
    List<Cell> result = new ArrayList<>();
    for (boolean more = true; more;) {
      Input answer = session.exchange(Call.STORE_NEXT, output -> output.u32(id).u32(1));
      more = answer.flag();
      for (int count = answer.u32(); count > 0 && answer.advance(); count--) {
        result.add(answer.current());
      }
    }
    session.exchange(Call.STORE_CLOSE, output -> output.u32(id));
    return result;
  }

  <M extends com.google.protobuf.Message> M service(com.google.protobuf.Message request, String service, String method,
      M response) throws IOException {
    ClientProtos.CoprocessorServiceCall call = ClientProtos.CoprocessorServiceCall.newBuilder()
      .setRow(org.apache.hbase.thirdparty.com.google.protobuf.ByteString.EMPTY).setServiceName(service)
      .setMethodName(method)
      .setRequest(org.apache.hbase.thirdparty.com.google.protobuf.ByteString.copyFrom(request.toByteArray())).build();
    Input answer = session.exchange(Call.SERVICE,
      output -> output.u8(0).string("bob").string("").u64(region).message(call));
    if (!answer.string().equals(response.getClass().getName())) {
      throw new IOException("Not a " + response.getClass());
    }
    @SuppressWarnings("unchecked")
    M result = (M) response.newBuilderForType().mergeFrom(answer.bytes()).build();
    return result;
  }

  @Override
  public Session.Writer serve(Session from, Input call) throws Exception {
    log.add("call " + call.method);
    switch (call.method) {
      case Call.KLIP_GET:
        call.u64();
        Result result = read(ProtobufUtil.toGet(call.message(ClientProtos.Get.parser())));
        return output -> Messages.write(output, result);
      case Call.KLIP_SCAN_OPEN:
        call.u64();
        Scan scan = ProtobufUtil.toScan(call.message(ClientProtos.Scan.parser()));
        byte[] end = scan.includeStopRow() ? Bytes.add(scan.getStopRow(), new byte[1]) : scan.getStopRow();
        scanners.put(++lastScanner, rows(scan.getStartRow(), end).iterator());
        return output -> output.u32(lastScanner);
      case Call.KLIP_SCAN_NEXT:
        return next(scanners.get(call.u32()), call.u32());
      case Call.KLIP_SCAN_CLOSE:
        scanners.remove(call.u32());
        return output -> { };
      case Call.KLIP_MUTATE:
        return mutate(call);
      case Call.KLIP_COUNTERS:
        return output -> output.u64(1).u64(2).u64(3).u64(4).u32(5);
      default:
        return output -> { };
    }
  }

  private static Session.Writer next(Iterator<Result> rows, int most) {
    List<Result> some = new ArrayList<>();
    while (rows.hasNext() && some.size() < most) {
      some.add(rows.next());
    }
    return output -> {
      output.flag(rows.hasNext()).u32(some.size());
      for (Result row : some) {
        output.u32(row.size());
        for (Cell cell : row.rawCells()) {
          output.cell(cell);
        }
      }
    };
  }

  private Session.Writer mutate(Input call) throws IOException {
    if (locked) {
      throw new org.apache.hadoop.hbase.DoNotRetryIOException(
        "a hook that runs under row locks cannot write; use addOperationsFromCP");
    }
    call.u64();
    call.u8();
    Condition condition = call.flag() ? call.message(Condition.parser()) : null;
    List<Mutation> mutations = new ArrayList<>();
    for (int count = call.u32(); count > 0; count--) {
      mutations.add(Messages.mutation(call));
    }
    String outer = user;
    user = "the caller of a callback";
    Operation done = write(condition != null ? 1 : 2, condition, mutations);
    user = outer;
    return output -> {
      output.flag(done.checked == null || done.checked);
      for (int i = 0; i < mutations.size(); i++) {
        output.flag(done.errors[i] != null);
        if (done.errors[i] != null) {
          output.string(done.errors[i].replaceAll(": .*", "")).string(done.errors[i]);
        } else {
          Messages.write(output, done.results[i]);
        }
      }
    };
  }
}
