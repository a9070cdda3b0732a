// SQL's values and types to and from Avatica's messages. Pure.
#pragma once

#include <vector>

#include "avatica/Avatica.pb.h"
#include "klip/sql.h"

namespace klip::avatica {

// In the format of the real query server: FLOAT as a double, DATE as days, TIME and TIMESTAMP as milliseconds.
void WriteValue(const sql::Value& value, const sql::DataType& type, pb::ColumnValue* out);

// Reads a parameter. Errors: kInvalidArgument: an invalid decimal, a representation that no driver sends.
Expected<sql::Value> ReadValue(const pb::TypedValue& value);

void WriteColumn(const sql::Column& column, uint32_t ordinal, pb::ColumnMetaData* out);
void WriteParameter(const sql::DataType& type, int position, pb::AvaticaParameter* out);

// Columns, parameters and the text of a statement.
void WriteSignature(const std::vector<sql::Column>& columns, const std::vector<sql::DataType>& parameters,
                    const std::string& text, pb::Signature* out);

}  // namespace klip::avatica
