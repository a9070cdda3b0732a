// A custom filter: rows whose number of visits is even. Usage: own_filter DIRECTORY
#include <cstdio>

#include "klip/connection.h"
#include "klip/filter_state.h"

namespace {

using klip::filter::FilterState;
using klip::filter::ReturnCode;

// The filter's state in one region of one scan.
class EvenVisitsState final : public FilterState {
 public:
  void Reset() override { even_ = false; }

  ReturnCode FilterCell(const klip::Cell& cell) override {
    if (cell.qualifier == "visits" && !cell.value.empty()) {
      even_ = (cell.value.back() - '0') % 2 == 0;
    }
    return ReturnCode::kInclude;
  }

  bool FilterRow() override { return !even_; }  // true: drop the row
  bool HasFilterRow() const override { return true; }

 private:
  bool even_ = false;
};

// The object given to the scan. Immutable, so many scans may share it.
class EvenVisits final : public klip::Filter {
 public:
  std::string_view name() const override { return "EvenVisits"; }
  std::string ToString() const override { return "EvenVisits()"; }
  bool RemembersRows() const override { return false; }
  klip::FilterNeeds Needs() const override { return klip::FilterNeeds::kEveryCell; }
  std::unique_ptr<FilterState> NewState(bool /*reversed*/) const override {
    return std::make_unique<EvenVisitsState>();
  }
};

klip::Status Run(const std::string& directory) {
  KLIP_ASSIGN_OR_RETURN(auto connection, klip::Connection::Open("klip:" + directory));
  KLIP_RETURN_IF_ERROR(connection->admin().CreateTable({.name = "users", .families = {{.name = "d"}}}));
  KLIP_ASSIGN_OR_RETURN(auto table, connection->GetTable("users"));
  const std::pair<const char*, const char*> users[] = {{"alice", "12"}, {"bob", "7"}, {"carol", "30"}, {"dave", "41"}};
  for (const auto& [row, visits] : users) {
    KLIP_RETURN_IF_ERROR(table->Put(klip::Put{.row = row}.Add("d", "visits", visits)));
  }

  // Alone, and in a list with HBase's.
  const klip::FilterPtr even = std::make_shared<EvenVisits>();
  const klip::FilterPtr late = klip::PrefixFilter("c");
  for (const klip::FilterPtr& filter : {even, klip::FilterList(klip::ListOperator::kMustPassAll, {late, even})}) {
    std::printf("%s:", filter->ToString().c_str());
    KLIP_ASSIGN_OR_RETURN(auto scanner, table->Scan({.filter = filter}));
    klip::Result row;
    while (true) {
      KLIP_ASSIGN_OR_RETURN(const bool more, scanner->Next(&row));
      if (!more) {
        break;
      }
      std::printf(" %.*s", static_cast<int>(row.row().size()), row.row().data());
    }
    std::printf("\n");
  }
  return klip::Status::Ok();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: own_filter DIRECTORY\n");
    return 2;
  }
  const klip::Status status = Run(argv[1]);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return 1;
  }
  return 0;
}
