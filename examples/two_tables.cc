// An atomic change to two tables: a visit, and its entry in a table with the key (day, domain, user). After a crash, both
// exist or neither. Usage: two_tables DIRECTORY
#include <cstdio>
#include <string>

#include "klip/connection.h"

namespace {

klip::Status Create(klip::Admin* admin, const char* name, const char* schema) {
  klip::TableDescriptor descriptor = {.name = name, .families = {{.name = "d"}}};
  descriptor.attributes[std::string(klip::RowKeySchema::kTableAttribute)] = schema;
  return admin->CreateTable(descriptor);
}

// Records a visit, unless it is there already. False: it was.
klip::Expected<bool> Record(klip::Connection* connection, klip::Table* visits, klip::Table* by_day,
                            const std::string& user, const std::string& date, const std::string& domain) {
  KLIP_ASSIGN_OR_RETURN(std::string row, visits->row_key_schema()->Encode({user, date, domain}));
  KLIP_ASSIGN_OR_RETURN(std::string index_row, by_day->row_key_schema()->Encode({date, domain, user}));
  klip::AtomicBatch batch;
  batch.conditions.push_back(
      {.table = "visits", .row = row, .condition = klip::RowCondition::IfNotExists("d", "visits")});
  batch.steps.push_back({.table = "visits", .mutation = klip::Put{.row = row}.Add("d", "visits", "1")});
  batch.steps.push_back({.table = "by_day", .mutation = klip::Put{.row = index_row}.Add("d", "", "")});
  return connection->Apply(batch);
}

klip::Status Run(const std::string& directory) {
  KLIP_ASSIGN_OR_RETURN(auto connection, klip::Connection::Open("klip:" + directory));
  KLIP_RETURN_IF_ERROR(Create(&connection->admin(), "visits", "username:text(10) date:date domain:text(20)"));
  KLIP_RETURN_IF_ERROR(Create(&connection->admin(), "by_day", "date:date domain:text(20) username:text(10)"));
  KLIP_ASSIGN_OR_RETURN(auto visits, connection->GetTable("visits"));
  KLIP_ASSIGN_OR_RETURN(auto by_day, connection->GetTable("by_day"));

  for (const char* user : {"alice", "bob", "alice"}) {
    KLIP_ASSIGN_OR_RETURN(bool fresh,
                          Record(connection.get(), visits.get(), by_day.get(), user, "20140628", "foo.bar"));
    std::printf("%s: %s\n", user, fresh ? "recorded" : "was there already");
  }

  klip::Scan scan;
  KLIP_ASSIGN_OR_RETURN(scan.where, by_day->row_key_schema()->ParseQuery("date=20140628 domain=foo.bar"));
  KLIP_ASSIGN_OR_RETURN(auto scanner, by_day->Scan(scan));
  klip::Result row;
  int users = 0;
  while (true) {
    KLIP_ASSIGN_OR_RETURN(bool more, scanner->Next(&row));
    if (!more) {
      break;
    }
    KLIP_ASSIGN_OR_RETURN(std::vector<std::string> fields, by_day->row_key_schema()->Decode(row.row()));
    std::printf("foo.bar on 20140628: %s\n", fields[2].c_str());
    ++users;
  }
  return users == 2 ? klip::Status::Ok() : klip::Status(klip::Code::kCorruption, "expected two users");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: two_tables DIRECTORY\n");
    return 2;
  }
  klip::Status status = Run(argv[1]);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return 1;
  }
  return 0;
}
