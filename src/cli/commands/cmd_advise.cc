// klip advise: findings on a table's row keys, and the key lab.
#include "cli/command.h"
#include "cli/input_reader.h"
#include "klip/advise.h"

namespace klip::cli {
namespace {

struct AdviseCommand {
  TableArguments arguments;
  AdviseOptions options;
  std::string queries;
  std::string sample;
  int64_t rows = options.max_rows;
  bool explain = false;
  bool json = false;

  Status ReadQueries() {
    if (queries.empty()) {
      return Status::Ok();
    }
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<TextInput> input, TextInput::Open(queries));
    std::string text;
    std::string line;
    while (true) {
      KLIP_ASSIGN_OR_RETURN(const bool more, input->ReadLine(&line));
      if (!more) {
        break;
      }
      text += line + "\n";
    }
    KLIP_ASSIGN_OR_RETURN(options.queries, ParseQueryLog(text, arguments.table));
    return Status::Ok();
  }

  // The first line names the columns.
  Expected<RecordSample> ReadRecords() const {
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<TextInput> input, TextInput::Open(sample));
    InputReader reader(input.get(), {.format = sample.ends_with(".tsv") ? InputFormat::kTsv : InputFormat::kCsv});
    RecordSample records = {.file = sample};
    KLIP_ASSIGN_OR_RETURN(bool more, reader.NextRecord(&records.columns));
    std::vector<std::string> fields;
    while (more && static_cast<int64_t>(records.records.size()) < options.max_rows) {
      KLIP_ASSIGN_OR_RETURN(more, reader.NextRecord(&fields));
      if (more && !(fields.size() == 1 && fields[0].empty())) {
        records.records.push_back(fields);
        records.lines.push_back(reader.line());
      }
    }
    return records;
  }

  Expected<Advice> Make() {
    options.max_rows = rows;
    KLIP_RETURN_IF_ERROR(ReadQueries());
    if (!sample.empty()) {
      if (options.schema.empty()) {
        return UsageError("--sample needs --schema, which says how the file's columns form the key");
      }
      KLIP_ASSIGN_OR_RETURN(const RecordSample records, ReadRecords());
      return AdviseOnRecords(records, arguments.store, arguments.table, options);
    }
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<Connection> connection, OpenStore(arguments.store));
    return Advise(*connection, arguments.store, arguments.table, options);
  }
};

}  // namespace

Run AddAdviseCommand(Arguments* args) {
  auto command = std::make_shared<AdviseCommand>();
  command->arguments.AddTo(args);
  args->Add("--queries", &command->queries, "file of queries, one per line: [WEIGHT] WHERE (docs/advise.md)");
  args->Add("--sample", &command->sample, "a CSV or TSV file instead of a table; the first line names the columns");
  args->Add("--schema", &command->options.schema, "a row-key schema in place of the table's");
  args->Add("--rows", &command->rows, "maximum number of rows in the sample; default 1,000,000")
      .Between(1, 100'000'000);
  args->Add("--seed", &command->options.seed, "random seed; the same seed gives the same advice");
  args->Add("--to", &command->options.target, "name of the new table in the printed commands; default TABLE_new");
  args->AddFlag("--fixed-costs", &command->options.fixed_costs,
                "use fixed costs of seeks, steps and writes instead of measuring this machine");
  args->AddFlag("--verify", &command->options.verify,
                "load the sample into temporary stores with the best designs, and measure");
  args->AddFlag("--explain", &command->explain, "show formulas with their inputs, and all designs");
  args->AddFlag("--json", &command->json, "one JSON object");
  return [command](const Console& console) -> Expected<int> {
    KLIP_ASSIGN_OR_RETURN(const Advice advice, command->Make());
    console.Write(command->json ? advice.ToJson() + "\n" : advice.ToText(command->explain));
    return kExitOk;
  };
}

}  // namespace klip::cli
