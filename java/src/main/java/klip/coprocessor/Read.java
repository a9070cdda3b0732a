package klip.coprocessor;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos;

/** A Get of klip's, from preGetOp to postGetOp. */
final class Read {
  private static final int BYPASSED = 1;
  private static final int CHANGED = 2;
  private final OpenRegion region;
  private final Get get;
  private boolean answered;

  /** Reads what the first call of an operation carries. */
  Read(Input input, OpenRegion.Lookup regions) throws IOException {
    region = regions.find(input.u64());
    get = ProtobufUtil.toGet(input.message(ClientProtos.Get.parser()));
    region.region.prepareGet(get);
  }

  Session.Writer run(int phase, Input input) throws IOException {
    if (phase == 1) {
      return before();
    }
    Result read = Messages.result(input);
    Result now = after(read);
    return output -> {
      output.flag(now != read);
      if (now != read) {
        Messages.write(output, now);
      }
    };
  }

  /** Whether the first phase has given the answer: there is no second one. */
  boolean isAnswered() {
    return answered;
  }

  private Session.Writer before() throws IOException {
    ClientProtos.Get told = ProtobufUtil.toGet(get);
    Result answer = preExists();
    if (answer == null) {
      List<Cell> cells = new ArrayList<>();
      if (region.run("preGetOp", () -> region.host.preGet(get, cells))) {
        answer = result(cells);
      } else if (!cells.isEmpty() || HostFilter.isNeeded(get.getFilter())) {
        cells.addAll(region.region.read(get)); // after those of the hook
        answer = after(Result.create(cells));
      }
    }
    Result bypass = answer;
    answered = bypass != null;
    if (answered) {
      return output -> Messages.write(output.u8(BYPASSED), bypass);
    }
    ClientProtos.Get now = ProtobufUtil.toGet(get);
    boolean changed = !now.equals(told);
    return output -> {
      output.u8(changed ? CHANGED : 0);
      if (changed) {
        output.message(now);
      }
    };
  }

  private Result preExists() throws IOException {
    if (!get.isCheckExistenceOnly()) {
      return null;
    }
    Boolean exists = region.run("preExists", () -> region.host.preExists(get));
    return exists == null ? null : Result.create((List<Cell>) null, exists);
  }

  private Result result(List<Cell> cells) {
    return get.isCheckExistenceOnly() ? Result.create((List<Cell>) null, !cells.isEmpty()) : Result.create(cells);
  }

  /** What the hooks make of a result: the same object if they change nothing. */
  private Result after(Result read) throws IOException {
    List<Cell> cells = new ArrayList<>();
    if (!read.isEmpty()) {
      cells.addAll(Arrays.asList(read.rawCells()));
    }
    List<Cell> told = new ArrayList<>(cells);
    region.run("postGetOp", () -> {
      region.host.postGet(get, cells);
      return null;
    });
    if (get.isCheckExistenceOnly()) {
      boolean existed = !cells.isEmpty();
      boolean exists = region.run("postExists", () -> region.host.postExists(get, existed));
      return Result.create((List<Cell>) null, exists);
    }
    return same(told, cells) ? read : Result.create(cells);
  }

  private static boolean same(List<Cell> one, List<Cell> other) {
    if (one.size() != other.size()) {
      return false;
    }
    for (int i = 0; i < one.size(); i++) {
      if (one.get(i) != other.get(i)) {
        return false;
      }
    }
    return true;
  }
}
