// A query on the middle of the row key: all users of one day, in a table whose keys start with the user. The scan jumps
// from user to user; explain shows how. Usage: fuzzy_query DIRECTORY
#include <cstdio>
#include <string>

#include "klip/connection.h"

namespace {

constexpr const char* kSchema = "username:text(10,'*') date:digits(8) domain:text(20,'*')";

klip::Status Fill(klip::Table* table, const klip::RowKeySchema& schema) {
  std::vector<klip::Put> puts;
  for (const char* user : {"ali1989", "alice", "bob", "carol"}) {
    for (int day = 20140601; day <= 20140630; ++day) {
      for (const char* domain : {"example.com", "foo.bar"}) {
        KLIP_ASSIGN_OR_RETURN(std::string row, schema.Encode({user, std::to_string(day), domain}));
        puts.push_back(klip::Put{.row = row}.Add("d", "visits", "1"));
      }
    }
  }
  return table->Put(puts);
}

klip::Status Run(const std::string& directory) {
  KLIP_ASSIGN_OR_RETURN(auto connection, klip::Connection::Open("klip:" + directory));
  klip::TableDescriptor descriptor = {.name = "visits", .families = {{.name = "d"}}};
  descriptor.attributes[std::string(klip::RowKeySchema::kTableAttribute)] = kSchema;
  KLIP_RETURN_IF_ERROR(connection->admin().CreateTable(descriptor));
  KLIP_ASSIGN_OR_RETURN(auto table, connection->GetTable("visits"));
  const klip::RowKeySchema schema = *table->row_key_schema();
  KLIP_RETURN_IF_ERROR(Fill(table.get(), schema));

  // By key field. A range, a list of values or a prefix per field work alike: "date=20140601..20140607 domain=foo.*".
  klip::Scan scan;
  KLIP_ASSIGN_OR_RETURN(scan.where, schema.ParseQuery("date=20140628 domain=foo.bar"));
  KLIP_ASSIGN_OR_RETURN(auto scanner, table->Scan(scan));
  klip::Result row;
  int rows = 0;
  while (true) {
    KLIP_ASSIGN_OR_RETURN(bool more, scanner->Next(&row));
    if (!more) {
      break;
    }
    ++rows;
    KLIP_ASSIGN_OR_RETURN(std::vector<std::string> fields, schema.Decode(row.row()));
    std::printf("%s visited %s\n", fields[0].c_str(), fields[2].c_str());
  }
  std::printf("\n%s\n", scanner->explain().ToText().c_str());

  // The same as HBase's filter, for which no schema is needed.
  klip::Scan fuzzy;
  KLIP_ASSIGN_OR_RETURN(fuzzy.filter,
                        klip::FuzzyRowFilter({klip::FuzzyKeyFromPattern("??????????20140628foo.bar*************")}));
  KLIP_ASSIGN_OR_RETURN(scanner, table->Scan(fuzzy));
  int fuzzy_rows = 0;
  while (true) {
    KLIP_ASSIGN_OR_RETURN(bool more, scanner->Next(&row));
    if (!more) {
      break;
    }
    ++fuzzy_rows;
  }
  if (rows != 4 || fuzzy_rows != rows) {
    return {klip::Code::kCorruption, "expected 4 rows from both ways of asking"};
  }
  return klip::Status::Ok();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: fuzzy_query DIRECTORY\n");
    return 2;
  }
  klip::Status status = Run(argv[1]);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return 1;
  }
  return 0;
}
