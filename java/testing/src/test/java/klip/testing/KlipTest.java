package klip.testing;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.Assume;
import org.junit.Test;
import org.testcontainers.DockerClientFactory;

public class KlipTest {
  private static final TableName NAME = TableName.valueOf("t");
  private static final byte[] F = Bytes.toBytes("f");

  private static Connection connect(Map<String, String> settings) throws Exception {
    Configuration configuration = HBaseConfiguration.create();
    settings.forEach(configuration::set);
    return ConnectionFactory.createConnection(configuration);
  }

  private static void use(Map<String, String> settings) throws Exception {
    try (Connection connection = connect(settings); Admin admin = connection.getAdmin(); Table table = connection.getTable(NAME)) {
      admin.createTable(TableDescriptorBuilder.newBuilder(NAME).setColumnFamily(ColumnFamilyDescriptorBuilder.of(F)).build());
      table.put(new Put(Bytes.toBytes("r")).addColumn(F, F, Bytes.toBytes("v")));
      assertArrayEquals(Bytes.toBytes("v"), table.get(new Get(Bytes.toBytes("r"))).getValue(F, F));
    }
  }

  @Test
  public void twoServersHaveStoresOfTheirOwn() throws Exception {
    try (KlipServer one = KlipServer.start(); KlipServer other = KlipServer.start("--thrift-port", "0")) {
      use(one.settings());
      try (Connection connection = connect(other.settings()); Admin admin = connection.getAdmin()) {
        assertFalse(admin.tableExists(NAME));
      }
      assertTrue(other.port("thrift") > 0);
      assertThrows(IllegalArgumentException.class, () -> one.port("thrift"));
    }
  }

  @Test
  public void closingEndsTheProcess() {
    KlipServer server = KlipServer.start();
    assertTrue(server.process().isAlive());
    server.close();
    assertEquals(0, server.process().exitValue());
  }

  @Test
  public void anOptionThatIsWrongIsTold() {
    IllegalStateException e = assertThrows(IllegalStateException.class, () -> KlipServer.start("--no-such-option"));
    assertTrue(e.getMessage(), e.getMessage().contains("--no-such-option"));
  }

  private static String image() {
    String image = System.getenv("KLIP_IMAGE");
    String missing = image == null ? "KLIP_IMAGE names no image"
      : DockerClientFactory.instance().isDockerAvailable() ? null : "there is no Docker, and DOCKER_HOST names no other runtime";
    if (missing != null) {
      System.out.println("KlipContainer is not tested: " + missing);
    }
    Assume.assumeTrue(missing, missing == null);
    return image;
  }

  @Test
  public void containersHaveStoresOfTheirOwn() throws Exception {
    String image = image();
    try (KlipContainer one = new KlipContainer(image); KlipContainer other = new KlipContainer(image)) {
      one.start();
      other.start();
      use(one.settings());
      try (Connection connection = connect(other.settings()); Admin admin = connection.getAdmin()) {
        assertFalse(admin.tableExists(NAME));
      }
    }
  }
}
