package session;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.RegionInfo;
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
  public void postListNamespaceDescriptors(ObserverContext<MasterCoprocessorEnvironment> c,
    List<NamespaceDescriptor> listed) {
    listed.removeIf(namespace -> namespace.getName().equals("cop_hidden"));
  }

  @Override
  public void postListNamespaces(ObserverContext<MasterCoprocessorEnvironment> c, List<String> listed) {
    listed.remove("cop_hidden");
  }

  @Override
  public void postGetTableNames(ObserverContext<MasterCoprocessorEnvironment> c, List<TableDescriptor> listed,
    String regex) {
    listed.removeIf(table -> table.getTableName().getNameAsString().equals("cop_hidden"));
  }

  @Override
  public void postGetTableDescriptors(ObserverContext<MasterCoprocessorEnvironment> c, List<TableName> asked,
    List<TableDescriptor> listed, String regex) {
    listed.removeIf(table -> table.getTableName().getNameAsString().equals("cop_hidden") && asked == null);
  }

  @Override
  public void preMove(ObserverContext<MasterCoprocessorEnvironment> c, RegionInfo region, ServerName from,
    ServerName to) throws IOException {
    refuse(region.getTable().getNameAsString().equals("cop_guarded"), "to move a region of " + region.getTable());
  }

  @Override
  public void preUnassign(ObserverContext<MasterCoprocessorEnvironment> c, RegionInfo region) throws IOException {
    refuse(region.getTable().getNameAsString().equals("cop_guarded"), "to close a region of " + region.getTable());
  }

  @Override
  public void preDeleteSnapshot(ObserverContext<MasterCoprocessorEnvironment> c, SnapshotDescription snapshot)
    throws IOException {
    refuse(snapshot.getName().equals("cop_kept"), "to delete a snapshot of " + snapshot.getTableNameAsString());
  }

  @Override
  public void postDeleteSnapshot(ObserverContext<MasterCoprocessorEnvironment> c, SnapshotDescription snapshot)
    throws IOException {
    refuse(snapshot.getName().equals("cop_told"), "too late: " + snapshot.getTableNameAsString());
  }

  @Override
  public void preTruncateTable(ObserverContext<MasterCoprocessorEnvironment> c, TableName name) throws IOException {
    refuse(name.getNameAsString().equals("cop_guarded"), "to empty " + name);
  }
}
