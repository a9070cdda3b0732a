package klip.coprocessor;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Mutation;

/** The state of a mutation as klip knows it: the cells by identity and time, attributes and durability. */
final class MutationState {
  private final Cell[] cells;
  private final long times;
  private final Map<String, byte[]> attributes;
  private final Durability durability;

  MutationState(Mutation mutation) {
    cells = cells(mutation);
    times = times(cells);
    Map<String, byte[]> now = mutation.getAttributesMap();
    attributes = now.isEmpty() ? Map.of() : Map.copyOf(now);
    durability = mutation.getDurability();
  }

  /** Whether to send the change to klip; bytes of a cell that were changed in place are not detected. */
  boolean isChanged(Mutation mutation) {
    return durability != mutation.getDurability() || !sameAttributes(mutation.getAttributesMap())
      || !sameCells(mutation.getFamilyCellMap());
  }

  private boolean sameAttributes(Map<String, byte[]> now) {
    if (now.size() != attributes.size()) {
      return false;
    }
    for (Map.Entry<String, byte[]> entry : now.entrySet()) {
      if (!Arrays.equals(entry.getValue(), attributes.get(entry.getKey()))) {
        return false;
      }
    }
    return true;
  }

  private boolean sameCells(Map<byte[], List<Cell>> families) {
    int at = 0;
    long now = 0;
    for (List<Cell> family : families.values()) {
      for (int i = 0; i < family.size(); i++) {
        Cell cell = family.get(i);
        if (at >= cells.length || cells[at++] != cell) {
          return false;
        }
        now = 31 * now + cell.getTimestamp();
      }
    }
    return at == cells.length && now == times;
  }

  private static Cell[] cells(Mutation mutation) {
    Cell[] cells = new Cell[mutation.size()];
    int at = 0;
    for (List<Cell> family : mutation.getFamilyCellMap().values()) {
      for (int i = 0; i < family.size(); i++) {
        cells[at++] = family.get(i);
      }
    }
    return cells;
  }

  private static long times(Cell[] cells) {
    long result = 0;
    for (Cell cell : cells) {
      result = 31 * result + cell.getTimestamp();
    }
    return result;
  }
}
