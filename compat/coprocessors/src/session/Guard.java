package session;

import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.SnapshotDescription;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.MasterCoprocessor;
import org.apache.hadoop.hbase.coprocessor.MasterCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.MasterObserver;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.util.Bytes;

/** Refuses changes of the master, and changes descriptors. */
public final class Guard implements MasterCoprocessor, MasterObserver {
  @Override
  public Optional<MasterObserver> getMasterObserver() {
    return Optional.of(this);
  }

  private static void refuse(boolean when, String what) throws IOException {
    if (when) {
      throw new DoNotRetryIOException("the guard refuses " + what);
    }
  }

  @Override
  public TableDescriptor preCreateTableRegionsInfos(ObserverContext<MasterCoprocessorEnvironment> c,
    TableDescriptor table) throws IOException {
    refuse(table.getTableName().getNameAsString().equals("cop_refused"), "a table");
    return table.getTableName().getNameAsString().equals("cop_guarded")
      ? TableDescriptorBuilder.newBuilder(table).setValue("guard", "was here").build() : table;
  }

  @Override
  public TableDescriptor preModifyTable(ObserverContext<MasterCoprocessorEnvironment> c, TableName name,
    TableDescriptor before, TableDescriptor after) throws IOException {
    refuse(after.getValue("frozen") != null, "a change of " + name);
    refuse(after.hasColumnFamily(Bytes.toBytes("forbidden")), "a family of " + name);
    return after.getValue("other") == null ? after
      : TableDescriptorBuilder.newBuilder(after).setValue("guard", "still here").build();
  }

  @Override
  public void preSnapshot(ObserverContext<MasterCoprocessorEnvironment> c, SnapshotDescription snapshot,
    TableDescriptor table) throws IOException {
    refuse(snapshot.getName().startsWith("no"), "a snapshot of " + table.getTableName());
  }

  @Override
  public void preCreateNamespace(ObserverContext<MasterCoprocessorEnvironment> c, NamespaceDescriptor namespace)
    throws IOException {
    refuse(namespace.getName().equals("cop_no"), "a namespace");
  }

  @Override
  public void preTruncateTable(ObserverContext<MasterCoprocessorEnvironment> c, TableName name) throws IOException {
    refuse(name.getNameAsString().equals("cop_guarded"), "to empty " + name);
  }
}
