// CREATE, DROP, ALTER.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sql/syntax/query_parser.h"

namespace klip::sql {

// Functions return false after an error, which the reader stores.
class DefinitionParser {
 public:
  DefinitionParser(TokenReader* reader, QueryParser* queries) : reader_(*reader), queries_(*queries) {}

  // Start at the first word.
  bool ParseCreate(ParsedStatement* statement);
  bool ParseDrop(Drop* drop);
  bool ParseAlter(ParsedStatement* statement);

  // name=value, ...
  bool ParseProperties(std::vector<Property>* properties);

 private:
  bool ParseCreateTable(CreateTable* table, bool immutable);
  bool ParseCreateView(CreateTable* view);
  bool ParseCreateIndex(CreateIndex* index);
  bool ParseCreateSequence(CreateSequence* sequence);
  bool ParseAlterTable(AlterTable* table);
  bool ParseAlterIndex(AlterIndex* index);

  bool ParseIfNotExists(bool* present);
  bool ParseIfExists(bool* present);
  // (columns [CONSTRAINT pk PRIMARY KEY (...)])
  bool ParseViewSelect(Select* select);
  bool ParseTableElements(CreateTable* table);
  bool ParseColumn(ColumnDefinition* column);
  bool ParseKey(CreateTable* table);
  bool ParseColumnNames(std::vector<std::pair<std::string, std::string>>* names);
  bool ParseProperty(Property* property);
  // Whether a property may start here: not at a word that may follow properties, nor at the end.
  bool AtProperties() const { return reader_.IsName(); }
  bool ParseQualifierCounters(std::vector<std::pair<std::string, int>>* counters);
  bool ParseSplitOn(std::vector<ExpressionPtr>* split_on);
  bool ParseDirection();  // true: DESC
  bool ParseCascadeIndex();

  TokenReader& reader_;
  QueryParser& queries_;
};

}  // namespace klip::sql
