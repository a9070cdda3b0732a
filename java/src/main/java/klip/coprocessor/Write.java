package klip.coprocessor;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.exceptions.FailedSanityCheckException;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.regionserver.RegionCoprocessorHost;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.Condition;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.MutationProto;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKeyImpl;

/** A write of klip's, from its first hook to its last: the mutations of all its regions, as objects of HBase's. */
final class Write {
  private static final int NO_CONDITION = 0;
  private static final int WRITTEN = 1;
  private static final int CHECK_AND_MUTATE = 1;
  private static final int EACH_BY_ITSELF = 2;

  private final int kind;
  private final List<Group> groups = new ArrayList<>();
  private final Mutation[] mutations;
  private final CheckAndMutate check;
  /** As HBase's batch has it: what hooks set here is not written. */
  private final OperationStatus[] statuses;
  private final WALEdit[] edits;
  private WALEdit nextEdit = new WALEdit();
  private final Input received;
  private final OpenRegion.Lookup regions;
  private MutationState[] told;
  private long toldCells;
  /** Of mutations that failed by themselves. */
  private final IOException[] failures;
  /** Whether klip knows that a mutation was bypassed or has failed. */
  private final boolean[] settled;
  /** Whether klip knows that hooks have left nothing of a mutation; as if it were written. */
  private final boolean[] emptied;
  /** Markers of newest versions that klip must not look up: a hook bypassed that. */
  private final Set<Cell> unnamed = Collections.newSetFromMap(new IdentityHashMap<>());

  /** The mutations of one region. */
  private final class Group {
    final OpenRegion region;
    final RegionCoprocessorHost host;
    final int begin;
    final int end;
    MiniBatchOperationInProgress<Mutation> batch;

    Group(OpenRegion region, int begin, int end) {
      this.region = region;
      host = region.host;
      this.begin = begin;
      this.end = end;
    }

    MiniBatchOperationInProgress<Mutation> batch() {
      if (batch == null) {
        int ready = 0;
        for (int i = begin; i < end; i++) {
          ready += isPending(i) ? 1 : 0;
        }
        batch = new MiniBatchOperationInProgress<>(mutations, statuses, edits, begin, end, ready);
      }
      return batch;
    }

    boolean isEmpty() {
      return batch().getReadyToWriteCount() == 0;
    }
  }

  /** Reads what the first call of an operation carries. */
  Write(Input input, OpenRegion.Lookup regions) throws IOException {
    received = input;
    this.regions = regions;
    kind = input.u8();
    Condition condition = input.flag() ? input.message(Condition.parser()) : null;
    List<Mutation> all = new ArrayList<>();
    CheckAndMutate single = null;
    for (int count = input.u32(); count > 0; count--) {
      OpenRegion region = regions.find(input.u64());
      int begin = all.size();
      int number = input.u32();
      for (int i = 0; i < number; i++) {
        MutationProto message = input.message(MutationProto.parser());
        if (kind == CHECK_AND_MUTATE && condition != null && number == 1) {
          single = ProtobufUtil.toCheckAndMutate(condition, message, input);
          all.add((Mutation) single.getAction());
        } else {
          all.add(Messages.mutation(message, input));
        }
        nameFamilies(all.get(all.size() - 1), region);
      }
      groups.add(new Group(region, begin, all.size()));
    }
    mutations = all.toArray(new Mutation[0]);
    check = single != null || kind != CHECK_AND_MUTATE ? single : ProtobufUtil.toCheckAndMutate(condition, all);
    statuses = new OperationStatus[mutations.length];
    java.util.Arrays.fill(statuses, OperationStatus.NOT_RUN);
    edits = new WALEdit[mutations.length];
    failures = new IOException[mutations.length];
    settled = new boolean[mutations.length];
    emptied = new boolean[mutations.length];
  }

  /** A delete of a whole row names all families before the hooks see it, as in HBase. */
  private static void nameFamilies(Mutation mutation, OpenRegion region) {
    if (mutation instanceof Delete && mutation.getFamilyCellMap().isEmpty()) {
      for (byte[] family : region.region.getTableDescriptor().getColumnFamilyNames()) {
        ((Delete) mutation).addFamily(family, mutation.getTimestamp());
      }
    }
  }

  Session.Writer run(int phase, Input input) throws IOException {
    switch (phase) {
      case 1:
        return before();
      case 2:
        return locked();
      case 3:
        return in(input.hasMore() ? input.u64() : 0);
      case 4:
        return written();
      case 5:
        return after(input);
      case 6:
        return computed(input);
      case 7:
        return beforeCommit(input);
      default:
        throw new IOException("A write has no phase " + phase);
    }
  }

  private boolean isPending(int index) {
    return statuses[index] == OperationStatus.NOT_RUN;
  }

  private Session.Writer before() throws IOException {
    remember();
    CheckAndMutateResult answered = null;
    if (kind == CHECK_AND_MUTATE) {
      Group group = groups.get(0);
      answered = group.region.run("preCheckAndMutate", () -> group.host.preCheckAndMutate(check));
    } else {
      preMutate();
    }
    return verdicts(answered, false);
  }

  private Session.Writer locked() throws IOException {
    remember();
    Group group = groups.get(0);
    CheckAndMutateResult answered = group.region.run("preCheckAndMutateAfterRowLock",
      () -> group.host.preCheckAndMutateAfterRowLock(check));
    return verdicts(answered, false);
  }

  private Session.Writer in(long now) throws IOException {
    if (now != 0) {
      stamp(now);
      told = null;
    }
    remember();
    if (kind == CHECK_AND_MUTATE) {
      preMutate();
    }
    unnamed.clear();
    for (Group group : groups) {
      group.batch = null;
      afterRowLock(group, now != 0 ? now : System.currentTimeMillis());
      if (group.isEmpty()) {
        continue;
      }
      group.region.run("preBatchMutate", () -> {
        group.host.preBatchMutate(group.batch());
        return null;
      });
      checkAdded(group);
    }
    for (int i = 0; i < mutations.length; i++) {
      if (failures[i] == null) {
        fail(i, failure(statuses[i]));
      }
    }
    return verdicts(null, true);
  }

  /** Gives cells without a time the one that klip will write, as HBase does before preBatchMutate. */
  private void stamp(long now) throws IOException {
    byte[] time = Bytes.toBytes(now);
    for (int i = 0; i < mutations.length; i++) {
      boolean stamped = mutations[i] instanceof Put || mutations[i] instanceof Delete;
      if (!stamped || !isPending(i)) {
        continue;
      }
      for (List<Cell> cells : mutations[i].getFamilyCellMap().values()) {
        for (Cell cell : cells) {
          // Such a delete takes its time from the newest version, which klip looks up
          if (cell.getTypeByte() != KeyValue.Type.Delete.getCode()) {
            PrivateCellUtil.updateLatestStamp(cell, time);
          }
        }
      }
    }
  }

  private void preMutate() throws IOException {
    Statistics.Run run = new Statistics.Run(null);
    for (Group group : groups) {
      for (int i = group.begin; i < group.end; i++) {
        if (!isPending(i)) {
          continue;
        }
        try {
          preMutate(group, i, run);
        } catch (IOException e) {
          run.fail();
          throw e;
        }
        if (!nextEdit.isEmpty()) {
          edits[i] = nextEdit;
          nextEdit = new WALEdit();
        }
      }
    }
    run.end();
  }

  private void preMutate(Group group, int i, Statistics.Run run) throws IOException {
    Mutation mutation = mutations[i];
    Hooks hooks = group.region.hooks;
    boolean bypassed = false;
    Result result = null;
    if (mutation instanceof Put) {
      run.enter(hooks, "prePut");
      bypassed = group.host.prePut((Put) mutation, nextEdit);
    } else if (mutation instanceof Delete) {
      run.enter(hooks, "preDelete");
      bypassed = group.host.preDelete((Delete) mutation, nextEdit);
    } else if (mutation instanceof Increment) {
      run.enter(hooks, "preIncrement");
      result = group.host.preIncrement((Increment) mutation, nextEdit);
    } else {
      run.enter(hooks, "preAppend");
      result = group.host.preAppend((Append) mutation, nextEdit);
    }
    if (bypassed || result != null) {
      statuses[i] = new OperationStatus(OperationStatusCode.SUCCESS, result);
    }
  }

  /** Deletes of a newest version: a hook may name the version, or none. What it leaves alone klip looks up. */
  private void nameVersions(Group group, Delete delete, long now) throws IOException {
    for (Map.Entry<byte[], List<Cell>> family : delete.getFamilyCellMap().entrySet()) {
      Map<byte[], Integer> counts = new TreeMap<>(Bytes.BYTES_COMPARATOR);
      for (Cell cell : family.getValue()) {
        if (cell.getTimestamp() == HConstants.LATEST_TIMESTAMP && PrivateCellUtil.isDeleteType(cell)) {
          byte[] column = CellUtil.cloneQualifier(cell);
          Get get = new Get(delete.getRow()).readVersions(counts.merge(column, 1, Integer::sum))
            .addColumn(family.getKey(), column);
          boolean bypassed = group.region.run("prePrepareTimeStampForDeleteVersion",
            () -> group.host.prePrepareTimeStampForDeleteVersion(delete, cell, Bytes.toBytes(now), get));
          if (bypassed && cell.getTimestamp() == HConstants.LATEST_TIMESTAMP) {
            unnamed.add(cell);
          }
        }
      }
    }
  }

  private void afterRowLock(Group group, long now) throws IOException {
    for (int i = group.begin; i < group.end; i++) {
      Mutation mutation = mutations[i];
      Result result = null;
      if (!isPending(i)) {
        continue;
      } else if (mutation instanceof Increment) {
        result = wanted(((Increment) mutation).isReturnResults(), group.region.run("preIncrementAfterRowLock",
          () -> group.host.preIncrementAfterRowLock((Increment) mutation)));
      } else if (mutation instanceof Append) {
        result = wanted(((Append) mutation).isReturnResults(), group.region.run("preAppendAfterRowLock",
          () -> group.host.preAppendAfterRowLock((Append) mutation)));
      } else if (mutation instanceof Delete && group.region.hooks.has("prePrepareTimeStampForDeleteVersion")) {
        nameVersions(group, (Delete) mutation, now);
      }
      if (result != null) {
        statuses[i] = new OperationStatus(OperationStatusCode.SUCCESS, result);
      }
    }
  }

  private static Result wanted(boolean returnResults, Result result) {
    return result == null || returnResults ? result : Result.EMPTY_RESULT;
  }

  private void checkAdded(Group group) throws IOException {
    for (int i = group.begin; i < group.end; i++) {
      Mutation[] added = isPending(i) ? group.batch().getOperationsFromCoprocessors(i - group.begin) : null;
      for (Mutation mutation : added == null ? new Mutation[0] : added) {
        group.region.region.checkRowOfBatch(mutation.getRow());
      }
    }
  }

  /** Whether HBase would write them as one row, and then not look at their statuses. */
  private boolean isOneRow() {
    for (Mutation mutation : mutations) {
      if (!Bytes.equals(mutation.getRow(), mutations[0].getRow())) {
        return false;
      }
    }
    return true;
  }

  private static IOException failure(OperationStatus status) {
    switch (status.getOperationStatusCode()) {
      case NOT_RUN:
      case SUCCESS:
        return null;
      case SANITY_CHECK_FAILURE:
        return new FailedSanityCheckException(status.getExceptionMsg());
      case BAD_FAMILY:
        return new NoSuchColumnFamilyException(status.getExceptionMsg());
      case STORE_TOO_BUSY:
        return new RegionTooBusyException(status.getExceptionMsg());
      default:
        return new DoNotRetryIOException(status.getExceptionMsg());
    }
  }

  private void fail(int index, IOException failure) throws IOException {
    if (failure == null || kind != EACH_BY_ITSELF && isOneRow() && (mutations.length > 1
      || statuses[index].getOperationStatusCode() == OperationStatusCode.FAILURE)) {
      return;
    }
    if (kind != EACH_BY_ITSELF) {
      throw failure;
    }
    failures[index] = failure;
    statuses[index] = OperationStatus.FAILURE;
  }

  private void remember() {
    if (told != null) {
      return;
    }
    told = new MutationState[mutations.length];
    for (int i = 0; i < told.length; i++) {
      if (isPending(i)) {
        told[i] = new MutationState(mutations[i]);
      }
    }
    toldCells = received.cellsDigest();
  }

  private Session.Writer verdicts(CheckAndMutateResult answered, boolean withAdded) {
    return output -> {
      if (!withAdded) {
        output.flag(answered != null);
        if (answered != null) {
          output.flag(answered.isSuccess());
          Messages.write(output, answered.getResult());
        }
      }
      long cells = received.cellsDigest();
      for (int i = 0; i < mutations.length; i++) {
        writeVerdict(output, i, cells != toldCells);
      }
      toldCells = cells;
      if (withAdded) {
        writeAdded(output);
      }
    };
  }

  private void writeVerdict(Output output, int i, boolean inPlace) throws IOException {
    if (settled[i]) {
      output.u8(0);
    } else if (isPending(i)) {
      writeChange(output, i, inPlace);
    } else {
      settled[i] = true;
      Result result = statuses[i].getResult();
      if (failures[i] != null) {
        output.u8(4).string(failures[i].getClass().getName()).string(failures[i].getMessage())
          .flag(failures[i] instanceof DoNotRetryIOException);
      } else if (result != null && (mutations[i] instanceof Increment || mutations[i] instanceof Append)) {
        Messages.write(output.u8(3), result);
      } else {
        output.u8(2);
      }
    }
  }

  private void writeChange(Output output, int i, boolean inPlace) throws IOException {
    Mutation named = named(mutations[i]);
    if (named == null || named instanceof Put && named.isEmpty()) {
      output.u8(emptied[i] ? 0 : 2);
      emptied[i] = true;
    } else if (emptied[i] || inPlace || named != mutations[i] || told[i].isChanged(mutations[i])) {
      Messages.write(output.u8(1), named);
      emptied[i] = false;
    } else {
      output.u8(0);
      return;
    }
    told[i] = new MutationState(mutations[i]);
  }

  /** What klip should write of a mutation: not the markers in `unnamed`; null: nothing is left. */
  private Mutation named(Mutation mutation) {
    if (unnamed.isEmpty() || !(mutation instanceof Delete)) {
      return mutation;
    }
    Delete rest = new Delete((Delete) mutation);
    boolean changed = false;
    for (List<Cell> cells : rest.getFamilyCellMap().values()) {
      changed |= cells.removeIf(unnamed::contains);
    }
    rest.getFamilyCellMap().values().removeIf(List::isEmpty);
    return !changed ? mutation : rest.getFamilyCellMap().isEmpty() ? null : rest;
  }

  private void writeAdded(Output output) throws IOException {
    List<Integer> owners = new ArrayList<>();
    List<Mutation> added = new ArrayList<>();
    for (Group group : groups) {
      for (int i = group.begin; i < group.end; i++) {
        Mutation[] more = group.batch().getOperationsFromCoprocessors(i - group.begin);
        if (more == null || !isPending(i)) {
          continue;
        }
        for (Mutation mutation : more) {
          owners.add(i);
          added.add(mutation);
        }
      }
    }
    output.u32(added.size());
    for (int i = 0; i < added.size(); i++) {
      Messages.write(output.u32(owners.get(i)), added.get(i));
    }
  }

  /** Shows the new cells of an increment or append to the hooks, a family at a time as HBase does. */
  private Session.Writer computed(Input input) throws IOException {
    int index = input.u32();
    Mutation mutation = mutations[index];
    Group group = groupOf(index);
    Map<byte[], List<Pair<Cell, Cell>>> families = new TreeMap<>(Bytes.BYTES_COMPARATOR);
    for (int count = input.u32(); count > 0; count--) {
      Cell old = input.flag() ? input.cell() : null;
      Cell added = input.cell();
      families.computeIfAbsent(CellUtil.cloneFamily(added), family -> new ArrayList<>()).add(new Pair<>(old, added));
    }
    List<Pair<Cell, Cell>> result = new ArrayList<>();
    for (List<Pair<Cell, Cell>> pairs : families.values()) {
      result.addAll(mutation instanceof Increment
        ? group.region.run("postIncrementBeforeWAL", () -> group.host.postIncrementBeforeWAL(mutation, pairs))
        : group.region.run("postAppendBeforeWAL", () -> group.host.postAppendBeforeWAL(mutation, pairs)));
    }
    return output -> result.forEach(pair -> output.cell(pair.getSecond()));
  }

  private Group groupOf(int index) {
    for (Group group : groups) {
      if (index < group.end) {
        return group;
      }
    }
    throw new IndexOutOfBoundsException(index);
  }

  /** Changes of the edit have no effect: klip writes the cells that it has. */
  private Session.Writer beforeCommit(Input input) throws IOException {
    for (int count = input.u32(); count > 0; count--) {
      OpenRegion region = regions.find(input.u64());
      WALEdit edit = new WALEdit();
      for (int cells = input.u32(); cells > 0; cells--) {
        edit.add(input.cell());
      }
      RegionInfo info = region.region.getRegionInfo();
      WALKeyImpl key = new WALKeyImpl(info.getEncodedNameAsBytes(), info.getTable(), System.currentTimeMillis());
      region.run("preWALAppend", () -> {
        region.host.preWALAppend(key, edit);
        return null;
      });
    }
    return output -> { };
  }

  private Session.Writer written() throws IOException {
    for (Group group : groups) {
      if (!group.isEmpty()) {
        group.region.run("postBatchMutate", () -> {
          group.host.postBatchMutate(group.batch());
          return null;
        });
      }
    }
    return output -> { };
  }

  private Session.Writer after(Input input) throws IOException {
    int outcome = input.u8();
    boolean committed = outcome == WRITTEN;
    boolean[] done = new boolean[mutations.length];
    Result[] results = new Result[mutations.length];
    for (int i = 0; i < mutations.length; i++) {
      done[i] = input.flag() || emptied[i] && committed;
      results[i] = Messages.result(input);
    }
    Result[] given = new Result[mutations.length];
    for (Group group : groups) {
      if (outcome == NO_CONDITION) {
        break;
      }
      boolean empty = group.isEmpty();
      postMutate(group, done, results, given);
      group.region.run("postBatchMutateIndispensably", () -> {
        group.host.postBatchMutateIndispensably(group.batch(), committed && !empty);
        return null;
      });
    }
    CheckAndMutateResult checked = kind == CHECK_AND_MUTATE ? postCheck(committed, given) : null;
    return output -> {
      for (int i = 0; i < mutations.length; i++) {
        boolean changed = given[i] != results[i] && given[i] != null;
        output.flag(changed);
        if (changed) {
          Messages.write(output, given[i]);
        }
      }
      output.flag(checked != null).flag(checked != null && checked.isSuccess());
    };
  }

  /** A mutation that a hook bypassed counts as done here, as in HBase. */
  private void postMutate(Group group, boolean[] done, Result[] results, Result[] given) throws IOException {
    Statistics.Run run = new Statistics.Run(group.region.hooks);
    WALEdit edit = new WALEdit();
    for (int i = group.begin; i < group.end; i++) {
      boolean bypassed = statuses[i].getOperationStatusCode() == OperationStatusCode.SUCCESS && !done[i];
      given[i] = bypassed ? null : results[i];
      if (!done[i] && !bypassed) {
        statuses[i] = OperationStatus.FAILURE;
        continue;
      }
      statuses[i] = bypassed ? statuses[i] : new OperationStatus(OperationStatusCode.SUCCESS, results[i]);
      try {
        Result changed = postMutate(group, i, edit, given[i], run);
        given[i] = changed == null && given[i] != null ? Result.EMPTY_RESULT : changed;
      } catch (IOException e) {
        run.fail();
        throw e;
      }
    }
    run.end();
  }

  private Result postMutate(Group group, int i, WALEdit edit, Result result, Statistics.Run run) throws IOException {
    Mutation mutation = mutations[i];
    if (mutation instanceof Put) {
      run.enter("postPut");
      group.host.postPut((Put) mutation, edit);
    } else if (mutation instanceof Delete) {
      run.enter("postDelete");
      group.host.postDelete((Delete) mutation, edit);
    } else if (mutation instanceof Increment) {
      run.enter("postIncrement");
      return group.host.postIncrement((Increment) mutation, result, edit);
    } else {
      run.enter("postAppend");
      return group.host.postAppend((Append) mutation, result, edit);
    }
    return result;
  }

  private CheckAndMutateResult postCheck(boolean success, Result[] given) throws IOException {
    List<Cell> cells = new ArrayList<>();
    for (Result result : given) {
      if (result != null && !result.isEmpty()) {
        cells.addAll(result.listCells());
      }
    }
    Result result = success ? cells.isEmpty() ? Result.EMPTY_RESULT : Result.create(cells) : null;
    Group group = groups.get(0);
    return group.region.run("postCheckAndMutate",
      () -> group.host.postCheckAndMutate(check, new CheckAndMutateResult(success, result)));
  }
}
