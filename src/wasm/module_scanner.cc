#include "wasm/module_scanner.h"

#include <algorithm>
#include <utility>

#include "klip/connection.h"
#include "wasm/frames.h"

namespace klip::wasm {
namespace {

// TUNING: a call costs some microseconds, so it covers many rows. The first one covers few, since many callers want only
// these.
constexpr size_t kFirstRows = 16;
constexpr size_t kMostRows = 1'024;
constexpr size_t kMostBytes = 256 << 10;

// The context in which a scan was opened does not exist any more when its rows are read.
class ScanContext final : public CoprocessorContext {
 public:
  explicit ScanContext(const CoprocessorContext& open) : table_(open.table()), connection_(open.connection()) {}

  const TableDescriptor& table() const override { return table_; }
  const Caller& caller() const override { return Caller::Current(); }
  Connection* connection() const override { return connection_; }
  Expected<std::unique_ptr<Table>> GetTable(std::string_view name) const override {
    return connection_->GetTable(name);
  }

 private:
  const TableDescriptor table_;
  Connection* const connection_;
};

class ModuleScanner final : public ResultScanner {
 public:
  ModuleScanner(std::shared_ptr<Module> module, const CoprocessorContext& context,
                std::unique_ptr<ResultScanner> scanner)
      : module_(std::move(module)), context_(context), scanner_(std::move(scanner)) {}

  // The error of postScannerClose is only counted as a failure: nobody is left to get it.
  ~ModuleScanner() override {
    if (module_->Has(Hook::kPostScannerClose)) {
      CallTarget target = {.context = &context_};
      (void)module_->Call(Hook::kPostScannerClose, BeginArgument(context_).U32(0).bytes(), &target);
    }
  }

  Expected<bool> Next(Result* result) override {
    if (!module_->Has(Hook::kPostScannerNext)) {
      return scanner_->Next(result);
    }
    while (true) {
      for (; next_ < page_.rows.size(); ++next_) {
        // A row without cells is skipped.
        if (!page_.left_out[next_] && !page_.rows[next_].empty()) {
          std::swap(*result, page_.rows[next_++]);
          return true;
        }
      }
      if (done_) {
        result->Clear();
        return failed_.ok() ? Expected<bool>(false) : failed_;
      }
      failed_ = Read();
      done_ = done_ || !failed_.ok();
    }
  }

  ScanStatistics statistics() const override { return scanner_->statistics(); }
  klip::Explain explain() const override { return scanner_->explain(); }

 private:
  // Reads the next rows through the module. After an error there are none.
  Status Read() {
    next_ = 0;
    Status status = ReadPage();
    if (!status.ok()) {
      page_.rows.clear();
    }
    return status;
  }

  Status ReadPage() {
    BytesWriter rows;
    page_.rows.resize(most_rows_);
    size_t count = 0;
    while (!done_ && count < most_rows_ && rows.size() < kMostBytes) {
      Result& row = page_.rows[count];
      KLIP_ASSIGN_OR_RETURN(const bool more, scanner_->Next(&row));
      done_ = !more;
      if (more) {
        WriteStored(row.row(), row, &rows);
        ++count;
      }
    }
    page_.rows.resize(count);
    page_.left_out.assign(count, false);
    most_rows_ = std::min(most_rows_ * 2, kMostRows);
    if (count == 0) {
      return Status::Ok();
    }
    BytesWriter argument = BeginArgument(context_);
    argument.U32(count).Raw(rows.bytes());
    CallTarget target = {.context = &context_, .scanned = &page_};
    return module_->Call(Hook::kPostScannerNext, argument.bytes(), &target);
  }

  const std::shared_ptr<Module> module_;
  ScanContext context_;
  const std::unique_ptr<ResultScanner> scanner_;
  ScannedRows page_;
  size_t next_ = 0;  // of the page
  size_t most_rows_ = kFirstRows;
  bool done_ = false;
  Status failed_;  // a caller that continues after an error gets it again
};

}  // namespace

std::unique_ptr<ResultScanner> MakeModuleScanner(std::shared_ptr<Module> module, const CoprocessorContext& context,
                                                 std::unique_ptr<ResultScanner> scanner) {
  return std::make_unique<ModuleScanner>(std::move(module), context, std::move(scanner));
}

}  // namespace klip::wasm
