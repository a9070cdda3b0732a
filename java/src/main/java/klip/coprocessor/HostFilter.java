package klip.coprocessor;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.ByteArrayComparable;
import org.apache.hadoop.hbase.filter.ColumnValueFilter;
import org.apache.hadoop.hbase.filter.CompareFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.FilterWrapper;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.filter.SkipFilter;
import org.apache.hadoop.hbase.filter.WhileMatchFilter;

/**
 * A filter that a coprocessor has set and that klip does not have: klip reads without it, and the host runs it on the rows, as
 * HBase's RegionScannerImpl and StoreScanner do. So NEXT_ROW and hints skip cells of one family, and each family passes a hint
 * by itself. For a row with the cells f:a, f:b and g:a, where the filter answers NEXT_ROW to f:a, it sees f:a and g:a.
 *
 * <p>As in HBase, the filter sees all versions that the family keeps, and those that it leaves out do not count as the scan's.
 */
public final class HostFilter {
  private static final String OF_HBASE = Filter.class.getPackageName();
  private static final Set<Filter.ReturnCode> INCLUDING = EnumSet.of(Filter.ReturnCode.INCLUDE,
    Filter.ReturnCode.INCLUDE_AND_NEXT_COL, Filter.ReturnCode.INCLUDE_AND_SEEK_NEXT_ROW);
  private final FilterWrapper filter;
  private final boolean reversed;
  private final int batch;
  private final int versions;
  private final int familyLimit;
  private final int familyOffset;
  /** By a cell of the family: the cell before which the filter wants none. */
  private final Map<Cell, Cell> hints = new TreeMap<>(CellComparator.getInstance()::compareFamilies);

  private HostFilter(Scan scan) {
    scan.getFilter().setReversed(scan.isReversed());
    filter = new FilterWrapper(scan.getFilter());
    reversed = scan.isReversed();
    batch = scan.getBatch();
    versions = scan.getMaxVersions();
    familyLimit = scan.getMaxResultsPerColumnFamily();
    familyOffset = scan.getRowOffsetPerColumnFamily();
  }

  /** The filter of a scan; null: klip runs it. */
  public static HostFilter of(Scan scan) {
    return isNeeded(scan.getFilter()) ? new HostFilter(scan) : null;
  }

  /** Whether a filter, which may be null, or a part of it is not HBase's own. */
  public static boolean isNeeded(Filter filter) {
    if (filter == null) {
      return false;
    } else if (!filter.getClass().getPackageName().equals(OF_HBASE)) {
      return true;
    } else if (filter instanceof FilterList) {
      return ((FilterList) filter).getFilters().stream().anyMatch(HostFilter::isNeeded);
    } else if (filter instanceof SkipFilter) {
      return isNeeded(((SkipFilter) filter).getFilter());
    } else if (filter instanceof WhileMatchFilter) {
      return isNeeded(((WhileMatchFilter) filter).getFilter());
    } else if (filter instanceof CompareFilter) {
      return isForeign(((CompareFilter) filter).getComparator());
    } else if (filter instanceof SingleColumnValueFilter) {
      return isForeign(((SingleColumnValueFilter) filter).getComparator());
    }
    return filter instanceof ColumnValueFilter && isForeign(((ColumnValueFilter) filter).getComparator());
  }

  private static boolean isForeign(ByteArrayComparable comparator) {
    return comparator != null && !comparator.getClass().getPackageName().equals(OF_HBASE);
  }

  /** What klip reads for a scan: all that its filter may want to see. */
  public static Scan forKlip(Scan scan) throws IOException {
    return isNeeded(scan.getFilter())
      ? new Scan(scan).setFilter(null).readAllVersions().setBatch(-1).setLimit(-1).setMaxResultsPerColumnFamily(-1)
        .setRowOffsetPerColumnFamily(0)
      : scan;
  }

  /** Whether it wants no more rows. */
  public boolean isDone() throws IOException {
    return filter.filterAllRemaining();
  }

  /** Adds what the filter leaves of a whole row of klip's, in pieces of the scan's batch. */
  public void apply(List<Cell> row, Queue<List<Cell>> out) throws IOException {
    row.removeIf(this::isBeforeHint);
    if (row.isEmpty()) {
      return;
    }
    boolean excluded = filter.filterRowKey(row.get(0));
    List<Cell> left = select(row);  // an excluded row, too, since HBase's filters see the cells that it passes over
    if (!excluded && !leavesOut(left)) {
      int most = batch > 0 ? batch : left.size();
      for (int i = 0; i < left.size(); i += most) {
        out.add(new ArrayList<>(left.subList(i, Math.min(left.size(), i + most))));
      }
    }
    filter.reset();
  }

  private boolean leavesOut(List<Cell> cells) throws IOException {
    return filter.hasFilterRow() ? filter.filterRowCellsWithRet(cells) == FilterWrapper.FilterRowRetCode.EXCLUDE
      : !cells.isEmpty() && filter.filterRow();
  }

  /** The cells that the filter includes. */
  private List<Cell> select(List<Cell> row) throws IOException {
    List<Cell> left = new ArrayList<>();
    int ofFamily = 0;
    int ofColumn = 0;
    Cell last = null;
    for (int i = 0; i < row.size() && !filter.filterAllRemaining();) {
      Cell cell = row.get(i);
      if (isBeforeHint(cell)) {
        i++;
        continue;
      }
      ofFamily = last != null && CellUtil.matchingFamily(last, cell) ? ofFamily : 0;
      ofColumn = last != null && CellUtil.matchingColumn(last, cell) ? ofColumn : 0;
      last = cell;
      Filter.ReturnCode code = filter.filterCell(cell);
      if (INCLUDING.contains(code) && ++ofColumn > versions) {
        code = code == Filter.ReturnCode.INCLUDE_AND_SEEK_NEXT_ROW ? Filter.ReturnCode.NEXT_ROW : Filter.ReturnCode.NEXT_COL;
      } else if (INCLUDING.contains(code)) {
        Cell given = filter.transformCell(cell);
        if (++ofFamily > familyOffset) {
          left.add(given);
        }
        if (familyLimit >= 0 && ofFamily >= familyLimit + familyOffset) {
          code = Filter.ReturnCode.NEXT_ROW;
        }
      }
      i = next(row, i, code);
    }
    return left;
  }

  /** The index of the next cell that the filter wants to see after the one at `i`. */
  private int next(List<Cell> row, int i, Filter.ReturnCode code) throws IOException {
    Cell cell = row.get(i);
    switch (code) {
      case NEXT_COL, INCLUDE_AND_NEXT_COL -> {
        do {
          i++;
        } while (i < row.size() && CellUtil.matchingColumn(row.get(i), cell));
        return i;
      }
      case NEXT_ROW, INCLUDE_AND_SEEK_NEXT_ROW -> {
        do {
          i++;
        } while (i < row.size() && CellUtil.matchingFamily(row.get(i), cell));
        return i;
      }
      case SEEK_NEXT_USING_HINT -> {
        Cell hint = filter.getNextCellHint(cell);
        if (hint != null) {
          hints.put(cell, hint);
        }
        return i + 1;
      }
      default -> {
        return i + 1;
      }
    }
  }

  private boolean isBeforeHint(Cell cell) {
    Cell hint = hints.get(cell);
    if (hint == null) {
      return false;
    }
    int rows = CellComparator.getInstance().compareRows(cell, hint);
    return rows != 0 ? rows < 0 != reversed : CellComparator.getInstance().compare(cell, hint) < 0;
  }
}
