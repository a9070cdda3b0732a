// Row-key schemas.
#include <utility>

#include "capi/call.h"
#include "capi/json.h"
#include "capi/requests.h"

using klip::Status;
using klip::capi::Missing;
using klip::capi::Report;

namespace {

// A call on a schema needs no gate: it belongs to no connection.
template <typename Work>
klip_code CallSchema(const klip_schema* schema, klip_error** error, Work work) {
  return Report(schema == nullptr ? Missing("schema") : work(schema->schema), error);
}

}  // namespace

extern "C" {

klip_code klip_schema_parse(const char* text, klip_schema** schema, klip_error** error) {
  return Report(
      [&]() -> Status {
        if (text == nullptr || schema == nullptr) {
          return Missing(text == nullptr ? "text" : "schema");
        }
        KLIP_ASSIGN_OR_RETURN(klip::RowKeySchema parsed, klip::RowKeySchema::Parse(text));
        std::string canonical = parsed.ToString();
        *schema = new klip_schema{std::move(parsed), std::move(canonical)};
        return Status::Ok();
      }(),
      error);
}

void klip_schema_free(klip_schema* schema) { delete schema; }

const char* klip_schema_text(const klip_schema* schema) { return schema == nullptr ? "" : schema->text.c_str(); }

klip_code klip_schema_fields(const klip_schema* schema, char** json, klip_error** error) {
  return CallSchema(schema, error, [&](const klip::RowKeySchema& inner) {
    return klip::capi::GiveText(klip::capi::ToJson(inner.fields()), json);
  });
}

klip_code klip_schema_encode(const klip_schema* schema, const klip_bytes* values, size_t count, char** row,
                             size_t* size, klip_error** error) {
  return CallSchema(schema, error, [&](const klip::RowKeySchema& inner) -> Status {
    if ((values == nullptr && count > 0) || size == nullptr) {
      return Missing(size == nullptr ? "size" : "values");
    }
    std::vector<std::string> texts;
    for (size_t i = 0; i < count; ++i) {
      KLIP_RETURN_IF_ERROR(klip::capi::CheckBytes(values[i], "values"));
      texts.emplace_back(klip::capi::View(values[i]));
    }
    KLIP_ASSIGN_OR_RETURN(const std::string key, inner.Encode(texts));
    KLIP_RETURN_IF_ERROR(klip::capi::GiveText(key, row));
    *size = key.size();
    return Status::Ok();
  });
}

klip_code klip_schema_decode(const klip_schema* schema, klip_bytes row, klip_list** values, klip_error** error) {
  return CallSchema(schema, error, [&](const klip::RowKeySchema& inner) -> Status {
    KLIP_RETURN_IF_ERROR(klip::capi::CheckBytes(row, "row"));
    if (values == nullptr) {
      return Missing("values");
    }
    KLIP_ASSIGN_OR_RETURN(std::vector<std::string> texts, inner.Decode(klip::capi::View(row)));
    *values = new klip_list{std::move(texts)};
    return Status::Ok();
  });
}

klip_code klip_schema_check_query(const klip_schema* schema, klip_bytes query, char** canonical, klip_error** error) {
  return CallSchema(schema, error, [&](const klip::RowKeySchema& inner) -> Status {
    KLIP_RETURN_IF_ERROR(klip::capi::CheckBytes(query, "query"));
    KLIP_ASSIGN_OR_RETURN(const klip::KeyQuery parsed, inner.ParseQuery(klip::capi::View(query)));
    return canonical == nullptr ? Status::Ok() : klip::capi::GiveText(parsed.ToString(), canonical);
  });
}

}  // extern "C"
