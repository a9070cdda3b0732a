// Tables: gets, information about keys, and all writes.
#include <utility>

#include "capi/call.h"
#include "capi/json.h"
#include "capi/requests.h"

using klip::Expected;
using klip::Status;
using klip::Table;
using klip::capi::CallChild;
using klip::capi::CallConnection;
using klip::capi::Missing;

namespace {

// Returns what `fill` adds: in *rows, or in a new object.
template <typename Fill>
Status Give(klip_rows** rows, Fill fill) {
  if (rows == nullptr) {
    return Missing("rows");
  }
  if (*rows == nullptr) {
    *rows = new klip_rows;
  }
  (*rows)->Clear();
  fill(*rows);
  (*rows)->Finish();
  return Status::Ok();
}

Status GiveRow(klip_rows** rows, Expected<klip::Result> row) {
  KLIP_RETURN_IF_ERROR(row.status());
  return Give(rows, [&](klip_rows* out) { out->Keep(*std::move(row)); });
}

// A row that the caller may not want.
Status MayGiveRow(klip_rows** rows, Expected<klip::Result> row) {
  return rows == nullptr ? row.status() : GiveRow(rows, std::move(row));
}

}  // namespace

extern "C" {

klip_code klip_table_open(klip_connection* connection, const char* name, klip_table** table, klip_error** error) {
  return CallConnection(connection, error, [&](klip::Connection& inner) -> Status {
    if (name == nullptr || table == nullptr) {
      return Missing(name == nullptr ? "name" : "table");
    }
    KLIP_ASSIGN_OR_RETURN(std::unique_ptr<Table> opened, inner.GetTable(name));
    *table = new klip_table(connection->gate, std::move(opened));
    connection->gate->Enlist(*table);
    return Status::Ok();
  });
}

const char* klip_table_name(const klip_table* table) { return table == nullptr ? "" : table->name.c_str(); }

void klip_table_free(klip_table* table) { klip::capi::FreeChild(table); }

// --- Reading ---

klip_code klip_table_get(klip_table* table, const klip_get* get, klip_rows** rows, klip_error** error) {
  return CallChild(table, error, [&](Table& inner) -> Status {
    KLIP_ASSIGN_OR_RETURN(const klip::Get request, klip::capi::ToGet(get));
    return GiveRow(rows, inner.Get(request));
  });
}

klip_code klip_table_multi_get(klip_table* table, const klip_get* gets, size_t count, klip_rows** rows,
                               klip_error** error) {
  return CallChild(table, error, [&](Table& inner) -> Status {
    KLIP_ASSIGN_OR_RETURN(const std::vector<klip::Get> requests, klip::capi::ToGets(gets, count));
    KLIP_ASSIGN_OR_RETURN(std::vector<klip::Result> results, inner.Get(requests));
    return Give(rows, [&](klip_rows* out) {
      for (klip::Result& result : results) {
        out->Keep(std::move(result));
      }
    });
  });
}

klip_code klip_table_edge_row(klip_table* table, int last, klip_rows** rows, klip_error** error) {
  return CallChild(table, error,
                   [&](Table& inner) { return GiveRow(rows, last != 0 ? inner.LastRow() : inner.FirstRow()); });
}

klip_code klip_table_count_rows(klip_table* table, const klip_scan* scan, int64_t* rows, klip_error** error) {
  return CallChild(table, error, [&](Table& inner) -> Status {
    if (rows == nullptr) {
      return Missing("rows");
    }
    KLIP_ASSIGN_OR_RETURN(const klip::Scan request, klip::capi::ToScan(scan, inner));
    KLIP_ASSIGN_OR_RETURN(*rows, inner.CountRows(request));
    return Status::Ok();
  });
}

klip_code klip_table_explain(klip_table* table, const klip_scan* scan, int text, char** out, klip_error** error) {
  return CallChild(table, error, [&](Table& inner) -> Status {
    KLIP_ASSIGN_OR_RETURN(const klip::Scan request, klip::capi::ToScan(scan, inner));
    KLIP_ASSIGN_OR_RETURN(const klip::Explain explain, inner.Explain(request));
    return klip::capi::GiveText(text != 0 ? explain.ToText() : explain.ToJson(), out);
  });
}

klip_code klip_table_statistics(klip_table* table, char** json, klip_error** error) {
  return CallChild(table, error, [&](Table& inner) -> Status {
    KLIP_ASSIGN_OR_RETURN(const klip::TableStatistics statistics, inner.Statistics());
    return klip::capi::GiveText(klip::capi::ToJson(statistics), json);
  });
}

klip_code klip_table_distinct_keys(klip_table* table, int fields, int count_rows, char** json, klip_error** error) {
  return CallChild(table, error, [&](Table& inner) -> Status {
    KLIP_ASSIGN_OR_RETURN(const std::vector<klip::KeyCount> keys, inner.DistinctKeys(fields, count_rows != 0));
    return klip::capi::GiveText(klip::capi::ToJson(keys), json);
  });
}

klip_code klip_table_schema(klip_table* table, klip_schema** schema, klip_error** error) {
  return CallChild(table, error, [&](Table& inner) -> Status {
    if (schema == nullptr) {
      return Missing("schema");
    }
    std::optional<klip::RowKeySchema> found = inner.row_key_schema();
    *schema = found.has_value() ? new klip_schema{*found, found->ToString()} : nullptr;
    return Status::Ok();
  });
}

// --- Writing ---

klip_code klip_table_mutate(klip_table* table, const klip_mutation* mutation, klip_rows** rows, klip_error** error) {
  return CallChild(table, error, [&](Table& inner) -> Status {
    KLIP_ASSIGN_OR_RETURN(const klip::Mutation request, klip::capi::ToMutation(mutation));
    struct {
      Table& table;
      Expected<klip::Result> operator()(const klip::Put& put) const { return Nothing(table.Put(put)); }
      Expected<klip::Result> operator()(const klip::Delete& del) const { return Nothing(table.Delete(del)); }
      Expected<klip::Result> operator()(const klip::Increment& add) const { return table.Increment(add); }
      Expected<klip::Result> operator()(const klip::Append& append) const { return table.Append(append); }
      static Expected<klip::Result> Nothing(Status status) {
        KLIP_RETURN_IF_ERROR(std::move(status));
        return klip::Result();
      }
    } const write{inner};
    return MayGiveRow(rows, std::visit(write, request));
  });
}

klip_code klip_table_put_all(klip_table* table, const klip_mutation* puts, size_t count, klip_error** error) {
  return CallChild(table, error, [&](Table& inner) -> Status {
    KLIP_ASSIGN_OR_RETURN(const std::vector<klip::Put> requests, klip::capi::ToPuts(puts, count));
    return inner.Put(requests);
  });
}

klip_code klip_table_mutate_row(klip_table* table, const klip_mutation* mutations, size_t count, klip_rows** rows,
                                klip_error** error) {
  return CallChild(table, error, [&](Table& inner) -> Status {
    KLIP_ASSIGN_OR_RETURN(const klip::RowMutations request, klip::capi::ToRowMutations(mutations, count));
    return MayGiveRow(rows, inner.Mutate(request));
  });
}

klip_code klip_table_check_and_mutate(klip_table* table, klip_bytes row, const klip_condition* condition,
                                      const klip_mutation* mutations, size_t count, int* met, klip_rows** rows,
                                      klip_error** error) {
  return CallChild(table, error, [&](Table& inner) -> Status {
    if (met == nullptr) {
      return Missing("met");
    }
    KLIP_ASSIGN_OR_RETURN(const klip::CheckAndMutate request,
                          klip::capi::ToCheckAndMutate(row, condition, mutations, count));
    KLIP_ASSIGN_OR_RETURN(klip::CheckAndMutateResult result, inner.CheckAndMutate(request));
    *met = result.success ? 1 : 0;
    return MayGiveRow(rows, std::move(result.result));
  });
}

klip_code klip_table_batch(klip_table* table, const klip_action* actions, size_t count, klip_rows** rows,
                           klip_error** error) {
  return CallChild(table, error, [&](Table& inner) -> Status {
    if (rows == nullptr || (actions == nullptr && count > 0)) {
      return Missing(rows == nullptr ? "rows" : "actions");
    }
    std::vector<klip::Action> requests;
    requests.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      KLIP_ASSIGN_OR_RETURN(klip::Action action, klip::capi::ToAction(actions[i]));
      requests.push_back(std::move(action));
    }
    std::vector<Expected<klip::Result>> outcomes = inner.Batch(requests);
    return Give(rows, [&](klip_rows* out) {
      for (Expected<klip::Result>& outcome : outcomes) {
        outcome.ok() ? out->Keep(*std::move(outcome)) : out->AddError(outcome.status());
      }
    });
  });
}

klip_code klip_table_prepend(klip_table* table, const klip_prepend* prepend, uint64_t* key, klip_error** error) {
  return CallChild(table, error, [&](Table& inner) -> Status {
    if (key == nullptr) {
      return Missing("key");
    }
    KLIP_ASSIGN_OR_RETURN(const klip::Prepend request, klip::capi::ToPrepend(prepend));
    KLIP_ASSIGN_OR_RETURN(*key, inner.Prepend(request));
    return Status::Ok();
  });
}

klip_code klip_connection_apply(klip_connection* connection, const klip_step* steps, size_t count,
                                klip_durability durability, int* met, klip_error** error) {
  return CallConnection(connection, error, [&](klip::Connection& inner) -> Status {
    if (met == nullptr) {
      return Missing("met");
    }
    KLIP_ASSIGN_OR_RETURN(const klip::AtomicBatch batch, klip::capi::ToAtomicBatch(steps, count, durability));
    KLIP_ASSIGN_OR_RETURN(const bool applied, inner.Apply(batch));
    *met = applied ? 1 : 0;
    return Status::Ok();
  });
}

// --- Loading ---

klip_code klip_loader_open(klip_connection* connection, const char* table, klip_loader** loader, klip_error** error) {
  return CallConnection(connection, error, [&](klip::Connection& inner) -> Status {
    if (table == nullptr || loader == nullptr) {
      return Missing(table == nullptr ? "table" : "loader");
    }
    KLIP_ASSIGN_OR_RETURN(std::unique_ptr<klip::BulkLoader> opened, inner.NewBulkLoader(table));
    *loader = new klip_loader(connection->gate, std::move(opened));
    connection->gate->Enlist(*loader);
    return Status::Ok();
  });
}

klip_code klip_loader_add(klip_loader* loader, const klip_mutation* puts, size_t count, klip_error** error) {
  return klip::capi::CallAlone(loader, error, [&](klip::BulkLoader& inner) -> Status {
    KLIP_ASSIGN_OR_RETURN(const std::vector<klip::Put> requests, klip::capi::ToPuts(puts, count));
    for (const klip::Put& put : requests) {
      KLIP_RETURN_IF_ERROR(inner.Add(put));
    }
    return Status::Ok();
  });
}

klip_code klip_loader_finish(klip_loader* loader, klip_error** error) {
  return klip::capi::CallAlone(loader, error, [](klip::BulkLoader& inner) { return inner.Finish(); });
}

void klip_loader_free(klip_loader* loader) { klip::capi::FreeChild(loader); }

}  // extern "C"
