#include "sweep/operation.h"

#include <utility>

namespace klip::sweep {
namespace {

using Lines = std::vector<std::string>;

// Rows in files and in the log, several versions and families, a table with regions, one with an index, one that is disabled, a snapshot.
Lines CommonSetup() {
  return {
      "create probe f",
      "namespace create space",
      "create t f(VERSIONS=3) g splits=h,p",
      "use t",
      "put a f:q=1 g:q=1",
      "put k f:q=1 f:r=2",
      "put z f:q=1 g:q=9",
      "flush t",
      "put a f:q=2 g:q=2",
      "put m f:q=3",
      "delete-row z",
      "snapshot s",
      "flush t",
      "create i f \"KLIP_INDEX$by_a=f:a text\"",
      "use i",
      "put r1 f:a=one f:b=1",
      "put r2 f:a=two f:b=2",
      "put r3 f:a=one f:b=3",
      "create d f g",
      "use d",
      "put x f:q=1 g:q=1",
      "flush d",
      "put y f:q=2 g:q=2",
      "disable d",
      "use t",
      "put n f:q=4 g:q=4",
      "put a f:q=3 g:q=3",
  };
}

Operation OnStore(std::string name, Lines lines, Lines before = {"use t"}) {
  return {.name = std::move(name), .setup = CommonSetup(), .before = std::move(before), .lines = std::move(lines)};
}

Operation InPieces(Operation operation) {
  operation.in_pieces = true;
  return operation;
}

std::vector<Operation> LibraryOperations() {
  Operation lax = OnStore("put without log", {"put b f:q=1 g:q=1 durability=skip", "put c f:q=1 durability=async"});
  lax.lax = true;
  return {
      OnStore("open", {"reopen"}),
      OnStore("put", {"put b f:q=1 g:q=1", "put c f:q=1 durability=fsync", "put a f:q=4 g:q=4 durability=sync"}),
      std::move(lax),
      OnStore("increment, append, check, delete", {"increment c f:n=5 g:n=5", "append c f:s=x g:s=y",
                                                   "check a f:q = 3 then put a f:q=5 g:q=5", "delete-row k"}),
      InPieces(OnStore("batch", {"batch put b f:q=1 ; put c f:q=1 ; delete-row a ; put y f:q=1"})),
      OnStore("atomic batch", {"atomic then t put b f:q=1 ; i put r4 f:a=two ; t delete-row a"}),
      OnStore("put in an indexed table", {"put r1 f:a=six f:b=1", "delete-row r2", "put r9 f:a=nine"}, {"use i"}),
      OnStore("flush, put", {"flush t", "put b f:q=1 g:q=1", "flush t", "put c f:q=1 g:q=1"}),
      OnStore("compact", {"flush t", "compact t"}),
      OnStore("major compaction", {"flush t", "major t", "put b f:q=1 g:q=1"}),
      OnStore("get and scan", {"scan versions=all", "get a", "scan start=k", "count"}),
      OnStore("create, put, flush", {"create n f g splits=c,m", "use n", "put r f:q=1 g:q=2", "flush n"}),
      OnStore("disable, drop", {"disable t", "drop t"}),
      OnStore("disable, truncate", {"disable t", "truncate t preserve", "put q f:q=1"}),
      OnStore("drop, create again", {"drop d", "create d f", "use d", "put x f:q=7"}),
      OnStore("alter: add, modify", {"alter t add h", "put b h:q=1 f:q=1", "alter t modify f(VERSIONS=2)"}),
      OnStore("alter: delete, set", {"alter t delete g", "alter t set MAX_FILESIZE=1000000000"}),
      OnStore("namespaces", {"namespace create other", "namespace drop space"}),
      OnStore("split, merge", {"split d", "merge 0 1", "regions"}),
      OnStore("snapshot", {"snapshot s2", "delete-snapshot s"}),
      OnStore("clone", {"clone s c", "use c", "put b f:q=1 g:q=1"}),
      OnStore("restore", {"restore s", "enable t", "put b f:q=1 g:q=1"}, {"use t", "disable t"}),
      OnStore("enable, disable", {"enable d", "disable d"}),
  };
}

std::vector<Operation> By(Way way, const std::string& name, std::vector<Operation> operations) {
  for (Operation& operation : operations) {
    operation.name = name + ": " + operation.name;
    operation.way = way;
  }
  return operations;
}

std::vector<Operation> ServerOperations() {
  return By(Way::kServer, "RPC",
            {
                OnStore("put, increment", {"put b f:q=1 g:q=1", "increment c f:n=5 g:n=5", "put a f:q=4 g:q=4"}),
                InPieces(OnStore("batch", {"batch put b f:q=1 ; put c f:q=1 ; delete-row a ; put y f:q=1"})),
                OnStore("scan", {"scan versions=all", "get a"}),
                OnStore("flush, compact", {"flush t", "put b f:q=1 g:q=1", "flush t", "major t"}),
                OnStore("create, put, drop",
                        {"create n f g splits=c,m", "use n", "put r f:q=1 g:q=2", "disable n", "drop n"}),
                OnStore("alter", {"alter t add h", "put b h:q=1 f:q=1", "alter t delete g"}),
                OnStore("truncate", {"disable t", "truncate t preserve"}),
                OnStore("snapshot, clone", {"snapshot s2", "clone s2 c", "delete-snapshot s2"}),
                OnStore("restore", {"restore s", "enable t"}, {"use t", "disable t"}),
            });
}

// Rows, columns and values in base 64, as HBase's REST server has them.
std::vector<Operation> RestOperations() {
  const std::string two_rows =
      "{\"Row\":[{\"key\":\"Yg==\",\"Cell\":[{\"column\":\"Zjpx\",\"$\":\"MQ==\"}]},"
      "{\"key\":\"eQ==\",\"Cell\":[{\"column\":\"Zzpx\",\"$\":\"Mg==\"}]}]}";
  const std::string schema = "{\"name\":\"n\",\"ColumnSchema\":[{\"name\":\"f\"},{\"name\":\"g\"}]}";
  return By(Way::kRest, "REST",
            {
                OnStore("put, get, delete", {"PUT /t/b/f:q 1", "GET /t/a", "DELETE /t/k", "GET /t/*"}),
                InPieces(OnStore("put of rows", {"PUT /t/rows " + two_rows})),
                OnStore("create, put, drop", {"PUT /n/schema " + schema, "PUT /n/r/g:q 2", "DELETE /d/schema"}),
            });
}

std::vector<Operation> ThriftOperations() {
  return By(Way::kThrift, "Thrift",
            {
                OnStore("put, get, delete, increment",
                        {"put t b f:q=1 g:q=1", "get t a", "delete-row t k", "increment t c f:n=5"}),
                InPieces(OnStore("put of rows", {"put t b f:q=1 ; y f:q=2 ; m f:q=4"})),
                OnStore("create, put, drop", {"create n f g", "put n r g:q=2", "disable n", "drop n"}),
            });
}

std::vector<Operation> ReplicationOperations() {
  return By(Way::kReplication, "replication",
            {
                OnStore("edits of a row", {"t b f:q=1 g:q=1", "t a f:q", "i r9 f:a=nine"}),
                InPieces(OnStore("edits of tables", {"t b f:q=1 ; t y f:q=2 ; i r4 f:a=two ; t a f:q"})),
            });
}

Operation Command(std::string name, Lines lines, Lines proof = {}) {
  return {.name = "klip " + std::move(name),
          .way = Way::kCommand,
          .setup = CommonSetup(),
          .lines = std::move(lines),
          .proof = std::move(proof)};
}

Operation Prepared(Operation operation, Lines prepare) {
  operation.prepare = std::move(prepare);
  return operation;
}

std::vector<Operation> Commands() {
  const Lines exported = {"export STORE t --format csv --columns f:q,g:q --output OUT.csv"};
  Operation fresh = Command("create, of a new store", {"create STORE t --family f", "put STORE t r f:q=1"});
  fresh.setup.clear();
  Operation backup = Prepared(Command("backup create", {"backup create OUT --of STORE"},
                                      {"backup verify OUT", "backup restore OUT --to OUT.restored",
                                       "scan OUT.restored t --csv", "scan OUT.restored i --csv"}),
                              {"backup create OUT --of STORE", "put STORE t b f:q=1"});
  backup.always = {"backup restore OUT --number 1 --to OUT.first"};
  Operation restore = Prepared(Command("backup restore", {"backup restore OUT --to OUT.restored"},
                                       {"scan OUT.restored t --csv", "scan OUT.restored i --csv"}),
                               {"backup create OUT --of STORE", "put STORE t b f:q=1", "backup create OUT --of STORE"});
  restore.always = {"backup verify OUT"};
  return {
      std::move(fresh),
      Command("put", {"put STORE t b f:q=1 g:q=1"}),
      Command("scan", {"scan STORE t --csv"}),
      InPieces(Prepared(Command("import", {"import STORE t --format csv --columns row,f:n,g:n --header OUT.csv"}),
                        exported)),
      Prepared(Command("import --bulk", {"import STORE t --format csv --columns row,f:n,g:n --header OUT.csv --bulk"}),
               exported),
      Command("export, as CSV", exported,
              {"create OUT.new t --family f --family g",
               "import OUT.new t --format csv --columns row,f:q,g:q --header OUT.csv", "scan OUT.new t --csv"}),
      Command("export", {"export STORE t OUT"}, {"import OUT.new t OUT", "scan OUT.new t --csv"}),
      InPieces(Prepared(Command("import, of an export", {"import STORE new OUT"}, {"scan STORE new --csv"}),
                        {"export STORE t OUT"})),
      Command("copy", {"copy STORE/t OUT/t"}, {"compare STORE/t OUT/t", "scan OUT t --csv"}),
      InPieces(Command("index create", {"index create STORE t by_q \"f:q text\""})),
      InPieces(Command("index rebuild", {"index rebuild STORE i by_a"})),
      InPieces(Command("index drop", {"index drop STORE i by_a"})),
      Command("snapshot", {"snapshot STORE t s2"}),
      Command("restore --as", {"restore STORE s --as c"}),
      Command("compact --major", {"compact STORE t --major"}),
      Command("alter", {"alter STORE t --family h"}),
      Command("truncate", {"truncate STORE d"}),
      Command("drop", {"drop STORE d"}),
      Command("doctor --deep", {"doctor STORE --deep --port 1"}),
      std::move(backup),
      std::move(restore),
      // Without DROP TABLE, which first disables the table: a kill before the second step leaves it disabled.
      Command("sql", {"sql STORE -e \"CREATE TABLE n (k VARCHAR PRIMARY KEY, v VARCHAR)\"",
                      "sql STORE -e \"UPSERT INTO n VALUES ('a', 'b')\"", "sql STORE -e \"SELECT * FROM n\"",
                      "sql STORE -e \"CREATE INDEX x ON n (v)\""}),
      Prepared(
          Command(
              "sql, a transaction",
              {"sql STORE -e \"BEGIN\" -e \"UPSERT INTO n VALUES ('a', 'c')\" -e \"UPSERT INTO o VALUES ('b', 'd')\" "
               "-e \"DELETE FROM n WHERE k = 'x'\" -e \"COMMIT\""}),
          {"sql STORE -e \"CREATE TABLE n (k VARCHAR PRIMARY KEY, v VARCHAR)\"",
           "sql STORE -e \"CREATE TABLE o (k VARCHAR PRIMARY KEY, v VARCHAR)\"",
           "sql STORE -e \"UPSERT INTO n VALUES ('x', 'y')\""}),
      Command("repair", {"repair STORE --to OUT --yes"}, {"scan OUT t --csv", "scan OUT i --csv"}),
  };
}

std::vector<Operation> MakeOperations() {
  std::vector<Operation> all = LibraryOperations();
  for (const auto& make : {Commands, ServerOperations, RestOperations, ThriftOperations, ReplicationOperations}) {
    for (Operation& operation : make()) {
      all.push_back(std::move(operation));
    }
  }
  return all;
}

}  // namespace

const std::vector<Operation>& Operations() {
  static const auto* const operations = new std::vector<Operation>(MakeOperations());
  return *operations;
}

}  // namespace klip::sweep
