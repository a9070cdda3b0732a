package session;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.backup.BackupInfo;
import org.apache.hadoop.hbase.backup.BackupType;
import org.apache.hadoop.hbase.backup.impl.BackupSystemTable;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The published observer of HBase's backups: of each bulk load into a table that has a full backup, it notes the files in the
 * table backup:system_bulk, for the next incremental backup.
 */
final class Backups {
  private static final List<String> FAMILIES = List.of("f", "g");
  private static final TableName SAVED = TableName.valueOf("cop_saved");
  private static final TableName UNSAVED = TableName.valueOf("cop_unsaved");
  private final Connection connection;
  private final Admin admin;
  private int loads;

  private Backups(Connection connection, Admin admin) {
    this.connection = connection;
    this.admin = admin;
  }

  private void create(TableName name) throws IOException {
    TableDescriptorBuilder builder = TableDescriptorBuilder.newBuilder(name)
      .setCoprocessor("org.apache.hadoop.hbase.backup.BackupObserver");
    FAMILIES.forEach(family -> builder.setColumnFamily(ColumnFamilyDescriptorBuilder.of(family)));
    admin.createTable(builder.build(), new byte[][] { Bytes.toBytes("m") });
  }

  private static void writeFile(Configuration configuration, Path path, String family, String... rows) throws IOException {
    FileSystem local = FileSystem.getLocal(configuration).getRaw();
    try (HFile.Writer writer = HFile.getWriterFactoryNoCache(configuration).withPath(local, path)
      .withFileContext(new HFileContextBuilder().withColumnFamily(Bytes.toBytes(family)).build()).create()) {
      for (String row : rows) {
        writer.append(new KeyValue(Bytes.toBytes(row), Bytes.toBytes(family), Bytes.toBytes("q"), 1,
          Bytes.toBytes(path.getName() + " " + row)));
      }
    }
  }

  /** Loads files, each named by its family and rows: "f a b", "g x". */
  private void load(TableName name, String... files) throws IOException {
    Configuration configuration = new Configuration(connection.getConfiguration());
    configuration.set("fs.defaultFS", "file:///");
    java.nio.file.Path directory = Files.createTempDirectory("klip-load");
    System.out.println("load into " + name + ": " + String.join(", ", files));
    loads++;
    for (int i = 0; i < files.length; i++) {
      String[] words = files[i].split(" ");
      String[] rows = List.of(words).subList(1, words.length).toArray(new String[0]);
      writeFile(configuration, new Path("file://" + directory + "/" + words[0] + "/load" + loads + "_" + i), words[0], rows);
    }
    try {
      BulkLoadHFiles.create(configuration).bulkLoad(name, new Path("file://" + directory));
    } catch (IOException e) {
      System.out.println("  " + e.getClass().getSimpleName());
    }
  }

  // Printing: the names of regions differ, and HBase renames the files

  /** By the regions' encoded names. */
  private Map<String, String> regions() throws IOException {
    Map<String, String> names = new TreeMap<>();
    for (TableName table : List.of(SAVED, UNSAVED)) {
      for (RegionInfo region : admin.getRegions(table)) {
        names.put(region.getEncodedName(), "REGION(" + Bytes.toStringBinary(region.getStartKey()) + ")");
      }
    }
    return names;
  }

  private static String normalized(String text, Map<String, String> regions) {
    for (Map.Entry<String, String> region : regions.entrySet()) {
      text = text.replace(region.getKey(), region.getValue());
    }
    return text.replaceAll("((file:)?/\\S*/)?\\b(load\\d+_\\d+|[0-9a-f]{32}(\\.(top|bottom))?)(_SeqId_\\d+_)?$", "FILE");
  }

  private void dump(TableName name) throws IOException {
    Map<String, String> regions = regions();
    List<String> lines = new ArrayList<>();
    try (Table table = connection.getTable(name); ResultScanner rows = table.getScanner(new Scan())) {
      for (Result row : rows) {
        StringBuilder line = new StringBuilder("\n  ").append(normalized(Bytes.toString(row.getRow()), regions));
        for (Cell cell : row.rawCells()) {
          line.append(' ').append(Bytes.toString(CellUtil.cloneFamily(cell))).append(':')
            .append(Bytes.toString(CellUtil.cloneQualifier(cell))).append('=')
            .append(normalized(Bytes.toStringBinary(CellUtil.cloneValue(cell)), regions));
        }
        lines.add(line.toString());
      }
    }
    lines.sort(null);  // the order of the regions' names
    System.out.println(name + ":" + String.join("", lines));
  }

  private void dump() throws IOException {
    dump(BackupSystemTable.getTableNameForBulkLoadedData(connection.getConfiguration()));
    dump(SAVED);
  }

  private static BackupInfo completed(BackupType type, int number, TableName... tables) {
    BackupInfo info = new BackupInfo("backup_" + number, type, tables, "file:///nowhere");
    info.setState(BackupInfo.BackupState.COMPLETE);
    info.setStartTs(number);
    info.setCompleteTs(number + 1);
    return info;
  }

  private void compare(BackupSystemTable backups) throws IOException {
    load(SAVED, "f a", "g x");
    dump();  // there is no backup
    backups.updateBackupInfo(completed(BackupType.INCREMENTAL, 1, SAVED));
    load(SAVED, "f b");
    dump();  // there is no full one
    backups.updateBackupInfo(completed(BackupType.FULL, 2, SAVED));
    System.out.println("tables with full backups: " + backups.getTablesForBackupType(BackupType.FULL));
    load(SAVED, "f c", "f d e", "g c", "g x y");
    load(UNSAVED, "f c");
    load(SAVED, "f k n", "g z");  // a file of two regions
    load(SAVED, "other a");
    dump();
    List<byte[]> noted = backups.readBulkloadRows(List.of(SAVED, UNSAVED)).getSecond();
    System.out.println("noted: " + noted.size());
    backups.deleteBulkLoadedRows(noted);
    load(SAVED, "g g");
    dump();
  }

  /** Prints what the observer notes of bulk loads. */
  static void run(Connection connection, Admin admin) throws IOException {
    Backups here = new Backups(connection, admin);
    here.create(SAVED);
    here.create(UNSAVED);
    try (BackupSystemTable backups = new BackupSystemTable(connection)) {
      here.compare(backups);
    }
  }
}
