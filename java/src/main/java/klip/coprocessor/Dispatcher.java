package klip.coprocessor;

/** Serves the calls of klip. */
interface Dispatcher {
  /**
   * Runs one call, hooks and all.
   * @return what writes its answer, without calling back; null: there is none
   */
  Session.Writer serve(Session session, Input call) throws Exception;
}
