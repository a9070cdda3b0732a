package klip.testing;

import com.github.dockerjava.api.command.InspectContainerResponse;
import java.util.Map;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.utility.DockerImageName;

/**
 * klip serve in a container of Testcontainers. packaging/Containerfile says how to build the image.
 *
 * <p>Clients of HBase connect to the address that the server advertises. Its port must be the one that Docker has published, which is only
 * known when the container runs, so the server waits for it.
 */
public final class KlipContainer extends GenericContainer<KlipContainer> {
  private static final int RPC_PORT = 16020;
  private static final int ZOOKEEPER_PORT = 2181;
  private static final String ADDRESS_FILE = "/tmp/klip-advertise";

  public KlipContainer(String image) {
    super(DockerImageName.parse(image));
    withExposedPorts(RPC_PORT, ZOOKEEPER_PORT);
    withCreateContainerCmdModifier(command -> command.withEntrypoint("/bin/sh"));
    withCommand("-c", "until [ -s " + ADDRESS_FILE + " ]; do sleep 0.1; done; exec klip serve --advertise \"$(cat " + ADDRESS_FILE + ")\"");
    waitingFor(Wait.forLogMessage(".*ready rpc=.*\\n", 1));
  }

  /** What a client's Configuration needs: hbase.zookeeper.quorum and hbase.zookeeper.property.clientPort. */
  public Map<String, String> settings() {
    return KlipServer.settings(getHost(), getMappedPort(ZOOKEEPER_PORT));
  }

  @Override
  protected void containerIsStarting(InspectContainerResponse info) {
    copyFileToContainer(Transferable.of(getHost() + ":" + getMappedPort(RPC_PORT)), ADDRESS_FILE);
  }
}
