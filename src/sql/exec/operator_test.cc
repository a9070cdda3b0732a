#include "sql/exec/operator.h"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace klip::sql {
namespace {

// A scan with one column and no rows.
class Scan final : public Operator {
 public:
  explicit Scan(int* closed) : closed_(closed) { types_ = {{.type = Type::kBigint}}; }
  Status Open(Execution* /*execution*/) override { return Status::Ok(); }
  Expected<bool> Next(Batch* out) override {
    out->rows = 0;
    return false;
  }
  void Close() override { ++*closed_; }
  void Explain(ExplainLines* /*lines*/) const override {}

 private:
  int* closed_;
};

std::vector<BoundPtr> Column() {
  std::vector<BoundPtr> columns;
  columns.push_back(MakeColumn(0, {.type = Type::kBigint}));
  return columns;
}

// Plans are kept, but must not keep a scanner open.
TEST(OperatorTest, CloseReachesAllScans) {
  int closed = 0;
  const auto scan = [&] { return std::make_unique<Scan>(&closed); };
  std::vector<OperatorPtr> both;
  both.push_back(scan());
  both.push_back(scan());
  std::vector<OperatorPtr> operators;
  operators.push_back(MakeUnion(std::move(both)));
  operators.push_back(MakeJoin(scan(), scan(), JoinKind::kInner, {}, nullptr));
  operators.push_back(MakeFilter(scan(), MakeConstant(Value::Boolean(true)), ""));
  operators.push_back(MakeProject(scan(), Column()));
  operators.push_back(MakeCut(scan(), 1));
  operators.push_back(MakeSort(scan(), {}, nullptr, nullptr));
  operators.push_back(MakeLimit(scan(), nullptr, nullptr));
  operators.push_back(MakeAggregate(scan(), Column(), {}, {}, ""));
  operators.push_back(MakeDistinct(scan(), {}));
  int scans = 0;
  for (size_t i = 0; i < operators.size(); ++i) {
    operators[i]->Close();
    scans += i < 2 ? 2 : 1;
    EXPECT_EQ(closed, scans) << i;
  }
}

}  // namespace
}  // namespace klip::sql
