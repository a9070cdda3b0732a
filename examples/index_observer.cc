// An observer that maintains an index: each put to `visits`, whose keys are user, date and domain, writes the key as
// (date, domain, user) to INDEX_TBL. After a crash, the index may lack the last entries. two_tables.cc shows how to avoid
// that gap; docs/indexes.md, how to do it without code. Usage: index_observer DIRECTORY
#include <cstdio>
#include <memory>
#include <string>

#include "klip/connection.h"
#include "klip/coprocessor.h"

namespace {

class IndexObserver final : public klip::Observer {
 public:
  klip::Status PostPut(klip::ChangeEvent& event, const klip::Put& put) override {
    KLIP_ASSIGN_OR_RETURN(auto visits, event.GetTable("visits"));
    KLIP_ASSIGN_OR_RETURN(auto index, event.GetTable("INDEX_TBL"));
    KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> key, visits->row_key_schema()->Decode(put.row));
    KLIP_ASSIGN_OR_RETURN(std::string row, index->row_key_schema()->Encode({key[1], key[2], key[0]}));
    return index->Put(klip::Put{.row = std::move(row)}.Add("d", "", ""));
  }
};

klip::Status Create(klip::Admin* admin, const char* name, const char* schema) {
  klip::TableDescriptor descriptor = {.name = name, .families = {{.name = "d"}}};
  descriptor.attributes[std::string(klip::RowKeySchema::kTableAttribute)] = schema;
  return admin->CreateTable(descriptor);
}

// How many users visited the domain on that day, read from the index.
klip::Expected<int> CountUsers(klip::Connection* connection, const std::string& query) {
  KLIP_ASSIGN_OR_RETURN(auto index, connection->GetTable("INDEX_TBL"));
  klip::Scan scan;
  KLIP_ASSIGN_OR_RETURN(scan.where, index->row_key_schema()->ParseQuery(query));
  KLIP_ASSIGN_OR_RETURN(auto scanner, index->Scan(scan));
  klip::Result row;
  for (int users = 0;; ++users) {
    KLIP_ASSIGN_OR_RETURN(const bool more, scanner->Next(&row));
    if (!more) {
      return users;
    }
    KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> key, index->row_key_schema()->Decode(row.row()));
    std::printf("%s on %s: %s\n", key[1].c_str(), key[0].c_str(), key[2].c_str());
  }
}

klip::Status Run(const std::string& directory) {
  klip::ConnectionOptions options;
  options.observers.push_back({.tables = klip::TableNamed("visits"), .observer = std::make_shared<IndexObserver>()});
  KLIP_ASSIGN_OR_RETURN(auto connection, klip::Connection::Open("klip:" + directory, options));
  KLIP_RETURN_IF_ERROR(Create(&connection->admin(), "visits", "username:text(10) date:date domain:text(20)"));
  KLIP_RETURN_IF_ERROR(Create(&connection->admin(), "INDEX_TBL", "date:date domain:text(20) username:text(10)"));
  KLIP_ASSIGN_OR_RETURN(auto visits, connection->GetTable("visits"));
  for (const char* user : {"alice", "bob"}) {
    for (const char* domain : {"foo.bar", "example.org"}) {
      KLIP_ASSIGN_OR_RETURN(std::string row, visits->row_key_schema()->Encode({user, "20140628", domain}));
      KLIP_RETURN_IF_ERROR(visits->Put(klip::Put{.row = std::move(row)}.Add("d", "visits", "1")));
    }
  }
  KLIP_ASSIGN_OR_RETURN(const int users, CountUsers(connection.get(), "date=20140628 domain=foo.bar"));
  return users == 2 ? klip::Status::Ok() : klip::Status(klip::Code::kCorruption, "expected two users");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: index_observer DIRECTORY\n");
    return 2;
  }
  klip::Status status = Run(argv[1]);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return 1;
  }
  return 0;
}
