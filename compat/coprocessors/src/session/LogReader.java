package session;

import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.WALCoprocessor;
import org.apache.hadoop.hbase.coprocessor.WALCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.WALObserver;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;

/**
 * Notes what the log gets of the tables cop_logged*. The notes are a system property, since the observers of a table have
 * another class loader.
 */
public final class LogReader implements WALCoprocessor, WALObserver {
  private static final String NOTES = "session.notes";

  @Override
  public Optional<WALObserver> getWALObserver() {
    return Optional.of(this);
  }

  static void note(String hook, TableName table, WALEdit edit) {
    if (!table.getNameAsString().startsWith("cop_logged") || edit.isMetaEdit()) {
      return;
    }
    StringBuilder text = new StringBuilder(hook);
    for (Cell cell : edit.getCells()) {
      text.append(' ').append(Bytes.toString(CellUtil.cloneRow(cell))).append('/')
        .append(Bytes.toString(CellUtil.cloneQualifier(cell))).append('=')
        .append(Bytes.toStringBinary(CellUtil.cloneValue(cell))).append(' ').append(cell.getType());
    }
    synchronized (System.class) {
      System.setProperty(NOTES, System.getProperty(NOTES, "") + text + "; ");
    }
  }

  static String take() {
    synchronized (System.class) {
      String notes = System.getProperty(NOTES, "");
      System.clearProperty(NOTES);
      return notes;
    }
  }

  @Override
  public void preWALWrite(ObserverContext<? extends WALCoprocessorEnvironment> c, RegionInfo info, WALKey key,
    WALEdit edit) throws IOException {
    note("pre", info.getTable(), edit);
  }

  @Override
  public void postWALWrite(ObserverContext<? extends WALCoprocessorEnvironment> c, RegionInfo info, WALKey key,
    WALEdit edit) throws IOException {
    note("post", info.getTable(), edit);
  }
}
