package klip.coprocessor;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.Service;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.hbase.exceptions.UnknownProtocolException;
import org.apache.hadoop.hbase.ipc.CoprocessorRpcUtils;
import org.apache.hadoop.hbase.ipc.ServerRpcController;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.CoprocessorServiceCall;

/** Endpoints of the region server or of the master; a region keeps its own. */
final class Services {
  private final Map<String, Service> services = new TreeMap<>();
  private final String what;

  /** @param what the owner, for messages */
  Services(String what) {
    this.what = what;
  }

  /** @return false if there is one of this name already */
  synchronized boolean register(Service service) {
    return services.putIfAbsent(CoprocessorRpcUtils.getServiceName(service.getDescriptorForType()), service) == null;
  }

  synchronized Collection<String> names() {
    return services.keySet();
  }

  Message call(CoprocessorServiceCall call) throws IOException {
    Service service;
    synchronized (this) {
      service = services.get(call.getServiceName());
    }
    if (service == null) {
      throw new UnknownProtocolException(null,
        "No registered " + what + " found for " + call.getServiceName());
    }
    MethodDescriptor method = CoprocessorRpcUtils.getMethodDescriptor(call.getMethodName(),
      service.getDescriptorForType());
    Message request = CoprocessorRpcUtils.getRequest(service, method, call.getRequest());
    Message.Builder response = service.getResponsePrototype(method).newBuilderForType();
    ServerRpcController controller = new ServerRpcController();
    service.callMethod(method, controller, request, message -> {
      if (message != null) {
        response.mergeFrom(message);
      }
    });
    controller.checkFailed();
    return response.build();
  }
}
