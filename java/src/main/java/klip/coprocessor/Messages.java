package klip.coprocessor;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.MutationProto;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.MutationProto.MutationType;

/** Mutations and results between the wire and HBase's client classes. */
public final class Messages {
  private Messages() {
  }

  static Mutation mutation(Input input) throws IOException {
    return mutation(input.message(MutationProto.parser()), input);
  }

  static Mutation mutation(MutationProto message, Input cells) throws IOException {
    switch (message.getMutateType()) {
      case PUT:
        return ProtobufUtil.toPut(message, cells);
      case DELETE:
        return ProtobufUtil.toDelete(message, cells);
      case INCREMENT:
        return ProtobufUtil.toIncrement(message, cells);
      default:
        return ProtobufUtil.toAppend(message, cells);
    }
  }

  static MutationType type(Mutation mutation) throws IOException {
    if (mutation instanceof Put) {
      return MutationType.PUT;
    } else if (mutation instanceof Delete) {
      return MutationType.DELETE;
    } else if (mutation instanceof Increment) {
      return MutationType.INCREMENT;
    } else if (mutation instanceof Append) {
      return MutationType.APPEND;
    }
    throw new IOException("A mutation of class " + mutation.getClass().getName());
  }

  public static void write(Output output, Mutation mutation) throws IOException {
    output.message(ProtobufUtil.toMutationNoData(type(mutation), mutation));
    for (List<Cell> cells : mutation.getFamilyCellMap().values()) {
      for (Cell cell : cells) {
        output.cell(cell);
      }
    }
  }

  public static Result result(Input input) throws IOException {
    return ProtobufUtil.toResult(input.message(ClientProtos.Result.parser()), input);
  }

  /** Writes a result; null as an empty one. */
  public static void write(Output output, Result value) throws IOException {
    Result result = value == null ? Result.EMPTY_RESULT : value;
    output.message(ProtobufUtil.toResultNoData(result));
    if (result.getExists() == null && !result.isEmpty()) {
      for (Cell cell : result.rawCells()) {
        output.cell(cell);
      }
    }
  }
}
