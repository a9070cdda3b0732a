// HBase's side of the comparison of HFiles. Writes files in every encoding and compression, loads them by HBase's own
// tool (completebulkload), and prints the cells of tables.
//
//   HFiles write DIRECTORY              a directory for each encoding and compression: a family f with two files
//   HFiles sample DIRECTORY             small ones for klip's tests (tests/hfile), and their contents as text
//   HFiles load ZOOKEEPER DIRECTORY     each of these directories into a separate table
//   HFiles dump ZOOKEEPER               all cells of these tables: visible, and raw
//   HFiles codecs ZOOKEEPER             writes and reads with cell blocks compressed by each codec
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.TagType;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileContext;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.ChecksumType;

public final class HFiles {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final String[] ENCODINGS = {"NONE", "PREFIX", "DIFF", "FAST_DIFF", "ROW_INDEX_V1"};
  private static final String[] COMPRESSIONS = {"NONE", "GZ", "SNAPPY", "LZ4", "ZSTD"};
  private static final int ROWS = 600;

  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "write" -> write(args[1]);
      case "sample" -> sample(args[1]);
      case "load" -> load(configuration(args[1]), Path.of(args[2]));
      case "dump" -> dump(configuration(args[1]));
      case "codecs" -> codecs(args[1]);
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  private static void write(String directory) throws IOException {
    for (String encoding : ENCODINGS) {
      for (String compression : COMPRESSIONS) {
        String own = directory + "/" + (encoding + "_" + compression).toLowerCase() + "/f/";
        writeFile(own + "cells", encoding, compression, cells(7, false, ROWS), false);
        writeFile(own + "tags", encoding, compression, cells(8, true, ROWS), true);
      }
    }
  }

  private static void sample(String directory) throws IOException {
    List<Cell> cells = cells(9, true, 12);
    for (int i = 0; i < ENCODINGS.length; ++i) {
      writeFile(directory + "/" + ENCODINGS[i].toLowerCase() + ".hfile", ENCODINGS[i], COMPRESSIONS[i], cells, true);
    }
    writeFile(directory + "/empty.hfile", "NONE", "NONE", List.of(), false);
    StringBuilder text = new StringBuilder();
    for (Cell cell : cells) {
      text.append(String.join("|",
          Bytes.toStringBinary(cell.getRowArray(), cell.getRowOffset(), cell.getRowLength()),
          Bytes.toStringBinary(cell.getQualifierArray(), cell.getQualifierOffset(), cell.getQualifierLength()),
          String.valueOf(cell.getTimestamp()), String.valueOf(cell.getType().getCode()),
          Bytes.toStringBinary(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength()),
          Bytes.toStringBinary(PrivateCellUtil.cloneTags(cell)))).append('\n');
    }
    Files.writeString(Path.of(directory, "cells.txt"), text);
  }

  private static void writeFile(String path, String encoding, String compression, List<Cell> cells, boolean tags)
      throws IOException {
    Configuration conf = HBaseConfiguration.create();
    // Small chunks and index blocks, so that there are many of each, and several levels.
    conf.setInt("hfile.index.block.max.size", 256);
    conf.setInt("io.storefile.bloom.block.size", 512);
    HFileContext context = new HFileContextBuilder()
        .withCompression(Compression.getCompressionAlgorithmByName(compression.toLowerCase()))
        .withDataBlockEncoding(DataBlockEncoding.valueOf(encoding)).withBlockSize(2048).withBytesPerCheckSum(512)
        .withChecksumType(tags ? ChecksumType.CRC32 : ChecksumType.CRC32C).withIncludesTags(tags).withCompressTags(tags)
        .withIncludesMvcc(tags).withColumnFamily(FAMILY).build();
    FileSystem files = FileSystem.getLocal(conf).getRaw();
    StoreFileWriter writer = new StoreFileWriter.Builder(conf, new CacheConfig(conf), files)
        .withFilePath(new org.apache.hadoop.fs.Path(path)).withBloomType(BloomType.ROW).withFileContext(context)
        .build();
    for (Cell cell : cells) {
      writer.append(cell);
    }
    // The metadata that HFileOutputFormat2 writes after the cells.
    writer.appendFileInfo(Bytes.toBytes("BULKLOAD_TIMESTAMP"), Bytes.toBytes(1700000000000L));
    writer.appendMetadata(0, false);
    writer.close();
  }

  // Rows of any bytes and lengths; versions, deletes of every kind, empty and equal values, a large one, timestamps near and far.
  private static List<Cell> cells(long seed, boolean tags, int rows) {
    Random random = new Random(seed);
    // Timestamps differ between the files: of equal keys in two files, HBase's choice of the file would decide which cell is seen.
    int own = tags ? 1 : 0;
    List<Cell> cells = new ArrayList<>();
    KeyValue.Type[] deletes = {KeyValue.Type.Delete, KeyValue.Type.DeleteColumn, KeyValue.Type.DeleteFamily,
        KeyValue.Type.DeleteFamilyVersion};
    for (int i = 0; i < rows; ++i) {
      byte[] row = i % 50 == 49 ? randomBytes(random, 1 + random.nextInt(300))
          : Bytes.toBytes(String.format("row%0" + (4 + i % 3) + "d", i));
      for (int column = random.nextInt(4); column >= 0; --column) {
        byte[] qualifier = column == 0 && i % 5 == 0 ? new byte[0] : Bytes.toBytes("q" + "x".repeat(random.nextInt(6)) + column);
        long time = switch (i % 4) {
          case 0 -> 1_600_000_000_000L + i;
          case 1 -> random.nextInt(100);
          case 2 -> random.nextLong() >>> (4 + random.nextInt(50));
          default -> 1_600_000_000_000L;
        };
        for (int version = random.nextInt(3); version >= 0; --version) {
          byte[] value = switch (random.nextInt(5)) {
            case 0 -> new byte[0];
            case 1 -> randomBytes(random, random.nextInt(i % 100 == 99 ? 20000 : 100));
            default -> Bytes.toBytes("the same value");
          };
          long at = 2 * Math.max(time - version, 0) + own;
          List<Tag> tagList = tags && random.nextBoolean() ? tags(random) : Collections.emptyList();
          KeyValue put = new KeyValue(row, FAMILY, qualifier, at, KeyValue.Type.Put, value, tagList);
          put.setSequenceId(tags ? random.nextInt(1 << random.nextInt(30)) : 0);
          cells.add(put);
        }
        if (random.nextInt(6) == 0) {
          // HBase passes over markers of families behind versions of the empty qualifier.
          KeyValue.Type type = deletes[random.nextInt(i % 5 == 0 ? 2 : deletes.length)];
          boolean family = type == KeyValue.Type.DeleteFamily || type == KeyValue.Type.DeleteFamilyVersion;
          cells.add(new KeyValue(row, FAMILY, family ? new byte[0] : qualifier, 2 * Math.max(time - 1, 0) + own, type));
        }
      }
    }
    cells.sort(CellComparator.getInstance());
    List<Cell> once = new ArrayList<>();
    for (Cell cell : cells) {
      if (once.isEmpty() || CellComparator.getInstance().compare(once.get(once.size() - 1), cell, true) != 0) {
        once.add(cell);
      }
    }
    return once;
  }

  private static List<Tag> tags(Random random) {
    List<Tag> tags = new ArrayList<>();
    tags.add(new ArrayBackedTag(TagType.TTL_TAG_TYPE, Bytes.toBytes(Long.MAX_VALUE / 4)));
    if (random.nextBoolean()) {
      tags.add(new ArrayBackedTag((byte) 100, Bytes.toBytes("tag" + random.nextInt(200))));
    }
    return tags;
  }

  private static byte[] randomBytes(Random random, int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return bytes;
  }

  private static Configuration configuration(String zookeeper) {
    Configuration conf = HBaseConfiguration.create();
    conf.set("hbase.zookeeper.quorum", zookeeper.substring(0, zookeeper.lastIndexOf(':')));
    conf.set("hbase.zookeeper.property.clientPort", zookeeper.substring(zookeeper.lastIndexOf(':') + 1));
    return conf;
  }

  private static void load(Configuration conf, Path directory) throws Exception {
    BulkLoadHFiles tool = BulkLoadHFiles.create(conf);
    try (Connection connection = ConnectionFactory.createConnection(conf)) {
      for (Path own : list(directory)) {
        TableName name = TableName.valueOf(own.getFileName().toString());
        // Three regions, so that the tool has to cut the files.
        connection.getAdmin().createTable(TableDescriptorBuilder.newBuilder(name).setCompactionEnabled(false)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setMaxVersions(2).build()).build(),
            new byte[][] {Bytes.toBytes("row0200"), Bytes.toBytes("row0400")});
        try (Table table = connection.getTable(name)) {
          // Rows that exist before: masked by a loaded marker or not, replaced by a loaded cell, and masking one.
          table.put(new Put(Bytes.toBytes("row0000")).addColumn(FAMILY, Bytes.toBytes("mine"), 5, Bytes.toBytes("kept")));
          table.delete(new Delete(Bytes.toBytes("row00100"), 1_600_000_000_050L));
        }
        // Copied, so that the same files serve both servers.
        tool.bulkLoad(name, copyOf(own));
      }
    }
  }

  private static org.apache.hadoop.fs.Path copyOf(Path directory) throws IOException {
    Path copy = Files.createTempDirectory(directory.getParent().getParent(), "load");
    Files.createDirectory(copy.resolve("f"));
    for (Path file : list(directory.resolve("f"))) {
      Files.copy(file, copy.resolve("f").resolve(file.getFileName()));
    }
    return new org.apache.hadoop.fs.Path(copy.toUri());
  }

  private static List<Path> list(Path directory) throws IOException {
    try (var paths = Files.list(directory)) {
      return paths.filter(path -> !path.getFileName().toString().startsWith(".")).sorted().toList();
    }
  }

  private static void dump(Configuration conf) throws Exception {
    try (Connection connection = ConnectionFactory.createConnection(conf)) {
      for (TableName name : connection.getAdmin().listTableNames()) {
        try (Table table = connection.getTable(name)) {
          dump(name + "", table, new Scan().readAllVersions());
          dump(name + " raw", table, new Scan().setRaw(true).readAllVersions());
        }
      }
    }
  }

  private static void codecs(String zookeeper) throws Exception {
    String[] codecs = {"io.compress.GzipCodec", "io.compress.DefaultCodec", "io.compress.SnappyCodec",
        "io.compress.Lz4Codec", "hbase.io.compress.zstd.ZstdCodec"};
    for (String codec : codecs) {
      Configuration conf = configuration(zookeeper);
      conf.set("hbase.client.rpc.compressor", "org.apache.hadoop." + codec);
      TableName name = TableName.valueOf("codec");
      try (Connection connection = ConnectionFactory.createConnection(conf)) {
        connection.getAdmin().createTable(TableDescriptorBuilder.newBuilder(name)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY)).build());
        try (Table table = connection.getTable(name)) {
          Random random = new Random(3);
          List<Put> puts = new ArrayList<>();
          for (int i = 0; i < 300; ++i) {
            byte[] value = i % 2 == 0 ? Bytes.toBytes("value".repeat(i)) : randomBytes(random, i * 20);
            puts.add(new Put(Bytes.toBytes(String.format("row%04d", i))).addColumn(FAMILY, null, 5, value));
          }
          table.put(puts);
          dump(codec, table, new Scan());
        }
        connection.getAdmin().disableTable(name);
        connection.getAdmin().deleteTable(name);
      }
    }
  }

  private static void dump(String title, Table table, Scan scan) throws IOException {
    System.out.println("== " + title);
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result result : scanner) {
        for (Cell cell : result.rawCells()) {
          byte[] value = Bytes.copy(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength());
          System.out.println(cell + " " + (value.length > 100 ? "hash " + Arrays.hashCode(value)
              : new String(Bytes.toStringBinary(value).getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8)));
        }
      }
    }
  }

  private HFiles() {}
}
