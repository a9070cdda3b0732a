import com.sun.management.OperatingSystemMXBean;
import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.BufferedMutator;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.mapreduce.TableInputFormat;
import org.apache.hadoop.hbase.spark.FamilyHFileWriteOptions;
import org.apache.hadoop.hbase.spark.JavaHBaseContext;
import org.apache.hadoop.hbase.spark.KeyFamilyQualifier;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** Spark on HBase: prints what each way reads. Arguments: ZooKeeper's host and port, whether conditions are pushed down, a directory, rows to time. */
public final class Main {
  private static final String CATALOG = "{'table':{'namespace':'default','name':'NAME'},'rowkey':'key','columns':{"
      + "'id':{'cf':'rowkey','col':'key','type':'string'},"
      + "'city':{'cf':'d','col':'city','type':'string'},"
      + "'age':{'cf':'d','col':'age','type':'int'},"
      + "'visits':{'cf':'d','col':'visits','type':'bigint'},"
      + "'score':{'cf':'e','col':'score','type':'double'},"
      + "'active':{'cf':'e','col':'active','type':'boolean'}}}";
  private static final String[] WHERES = {
    "id = 'u00017'", "id >= 'u00990'", "id LIKE 'u0099%' AND age > 5", "city = 'Bern'", "city <> 'Bern' AND age < -40",
    "age > -3 AND age <= 3", "age = -7 OR visits = 123000000000", "visits >= 990000000000", "visits < -990000000000",
    "score > 99.5", "score < -99.5 OR id = 'u00003'", "city IS NULL AND age > 40", "city IS NOT NULL AND score = 0.0",
    "active = true AND age = 12", "city LIKE 'G%' AND visits > 980000000000", "city IN ('Bern', 'Basel') AND age > 45",
    "NOT (city = 'Bern') AND age = 0", "length(city) = 4 AND age = 21"};

  public static void main(String[] arguments) throws Exception {
    SparkSession spark = SparkSession.builder().appName("klip").master("local[2]").config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "4").config("spark.driver.host", "127.0.0.1").config("spark.hadoopRDD.ignoreEmptySplits", "false").getOrCreate();
    Configuration conf = HBaseConfiguration.create(spark.sparkContext().hadoopConfiguration());
    conf.set("hbase.zookeeper.quorum", arguments[0]);
    conf.set("hbase.zookeeper.property.clientPort", arguments[1]);
    JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
    JavaHBaseContext hbase = new JavaHBaseContext(context, conf);  // the DataFrames use it as well
    dataFrames(spark, arguments[2]);
    bulkLoad(conf, context, hbase, arguments[3]);
    inputFormat(conf, context, "spark_frame");
    time(spark, conf, context, arguments[2], Integer.parseInt(arguments[4]));
    spark.stop();
  }

  private static Dataset<Row> read(SparkSession spark, String table, String pushDown) {
    return spark.read().format("org.apache.hadoop.hbase.spark").option("catalog", CATALOG.replace("NAME", table).replace('\'', '"'))
        .option("hbase.spark.pushdown.columnfilter", pushDown).load();
  }

  private static void dataFrames(SparkSession spark, String pushDown) {
    String[] cities = {"Bern", "Basel", "Genf", "Zürich", null};
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < 1000; ++i) {
      rows.add(RowFactory.create(String.format("u%05d", i), cities[i % 5], i % 101 - 50, (i - 500) * 2_000_000_000L, (i - 500) / 5.0, i % 3 == 0));
    }
    StructType type = new StructType().add("id", DataTypes.StringType).add("city", DataTypes.StringType).add("age", DataTypes.IntegerType)
        .add("visits", DataTypes.LongType).add("score", DataTypes.DoubleType).add("active", DataTypes.BooleanType);
    spark.createDataFrame(rows, type).write().format("org.apache.hadoop.hbase.spark")
        .option("catalog", CATALOG.replace("NAME", "spark_frame").replace('\'', '"')).option("newtable", "5").save();
    Dataset<Row> frame = read(spark, "spark_frame", pushDown);
    print("all", frame);
    for (String where : WHERES) {
      print(where, frame.where(where));
    }
    frame.createOrReplaceTempView("frame");
    print("by city", spark.sql("SELECT city, count(*), sum(visits), max(score) FROM frame WHERE age > 0 GROUP BY city"));
  }

  private static void print(String what, Dataset<Row> rows) {
    List<String> lines = new ArrayList<>();
    for (Row row : rows.collectAsList()) {
      lines.add(row.mkString(","));
    }
    Collections.sort(lines);
    System.out.println(what + ": " + lines.size() + " rows, hash " + lines.hashCode());
    lines.subList(0, Math.min(5, lines.size())).forEach(System.out::println);
  }

  private static void create(Configuration conf, String name, byte[][] splits) throws Exception {
    try (Connection connection = ConnectionFactory.createConnection(conf); Admin admin = connection.getAdmin()) {
      admin.createTable(TableDescriptorBuilder.newBuilder(TableName.valueOf(name)).setColumnFamily(ColumnFamilyDescriptorBuilder.of("d"))
          .setColumnFamily(ColumnFamilyDescriptorBuilder.of("e")).build(), splits);
    }
  }

  /** A row of a bulk load. */
  private static final class Cells implements Serializable {
    private static final long serialVersionUID = 1;

    static Pair<KeyFamilyQualifier, byte[]> of(Integer i) {
      return new Pair<>(new KeyFamilyQualifier(Bytes.toBytes(String.format("b%05d", i)), Bytes.toBytes("d"), Bytes.toBytes("age")), Bytes.toBytes(i));
    }
  }

  private static void bulkLoad(Configuration conf, JavaSparkContext context, JavaHBaseContext hbase, String directory) throws Exception {
    create(conf, "spark_bulk", new byte[][] {Bytes.toBytes("b00300"), Bytes.toBytes("b00700")});
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < 1000; ++i) {
      numbers.add(i);
    }
    Map<byte[], FamilyHFileWriteOptions> options = new HashMap<>();
    hbase.bulkLoad(context.parallelize(numbers, 2), TableName.valueOf("spark_bulk"), Cells::of, directory, options, false, 1L << 30);
    BulkLoadHFiles.create(conf).bulkLoad(TableName.valueOf("spark_bulk"), new Path("file:" + directory));
    inputFormat(conf, context, "spark_bulk");
    Configuration four = new Configuration(conf);
    four.setInt("hbase.mapreduce.tableinput.mappers.per.region", 4);
    inputFormat(four, context, "spark_bulk");
  }

  private static JavaPairRDD<ImmutableBytesWritable, Result> rdd(Configuration conf, JavaSparkContext context, String table) {
    Configuration own = new Configuration(conf);
    own.set(TableInputFormat.INPUT_TABLE, table);
    return context.newAPIHadoopRDD(own, TableInputFormat.class, ImmutableBytesWritable.class, Result.class);
  }

  private static void inputFormat(Configuration conf, JavaSparkContext context, String table) {
    JavaPairRDD<ImmutableBytesWritable, Result> rows = rdd(conf, context, table);
    long sum = rows.values().map(row -> (long) Bytes.toInt(row.getValue(Bytes.toBytes("d"), Bytes.toBytes("age")))).reduce(Long::sum);
    System.out.println(table + " by TableInputFormat: " + rows.count() + " rows, sum " + sum + ", partitions " + rows.getNumPartitions());
  }

  /** Full reads of so many rows of four cells, to stderr. */
  private static void time(SparkSession spark, Configuration conf, JavaSparkContext context, String pushDown, int rows) throws Exception {
    if (rows == 0) {
      return;
    }
    create(conf, "spark_time", new byte[][] {Bytes.toBytes(String.format("u%08d", rows / 2))});
    try (Connection connection = ConnectionFactory.createConnection(conf);
        BufferedMutator table = connection.getBufferedMutator(TableName.valueOf("spark_time"))) {
      for (int i = 0; i < rows; ++i) {
        table.mutate(new Put(Bytes.toBytes(String.format("u%08d", i))).addColumn(Bytes.toBytes("d"), Bytes.toBytes("city"), Bytes.toBytes("Bern"))
            .addColumn(Bytes.toBytes("d"), Bytes.toBytes("age"), Bytes.toBytes(i % 100)).addColumn(Bytes.toBytes("d"), Bytes.toBytes("visits"), Bytes.toBytes((long) i))
            .addColumn(Bytes.toBytes("e"), Bytes.toBytes("score"), Bytes.toBytes(i / 2.0)));
      }
    }
    try (Connection connection = ConnectionFactory.createConnection(conf); Admin admin = connection.getAdmin()) {
      admin.flush(TableName.valueOf("spark_time"));
    }
    Dataset<Row> frame = read(spark, "spark_time", pushDown);
    for (int round = 0; round < 10; ++round) {
      measure("one row", () -> sum(frame.where("id = 'u00000001'")));
      measure("every row", () -> sum(frame));
      measure("WHERE age = 7 AND visits > 100", () -> sum(frame.where("age = 7 AND visits > 100")));
      measure("TableInputFormat", () -> rdd(conf, context, "spark_time").count());
    }
  }

  private static long sum(Dataset<Row> frame) {
    return frame.agg(functions.sum("visits"), functions.max("score"), functions.count("city")).first().getLong(2);
  }

  /** To stderr: the rows that a read finds, its time, and the CPU time of this JVM. */
  private static void measure(String what, Supplier<Long> read) {
    OperatingSystemMXBean process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long cpu = process.getProcessCpuTime();
    long start = System.nanoTime();
    long rows = read.get();
    System.err.printf("TIME %s: %d rows, %d ms, client's CPU %d ms%n", what, rows, (System.nanoTime() - start) / 1_000_000,
        (process.getProcessCpuTime() - cpu) / 1_000_000);
  }
}
