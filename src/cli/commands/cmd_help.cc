// klip help: the texts that are longer than a command's --help.
#include "cli/command.h"
#include "klip/row_key.h"

namespace klip::cli {

Run AddHelpCommand(Arguments* args) {
  auto topic = std::make_shared<std::string>();
  args->Add("TOPIC", topic.get(), "keys: row-key schemas and queries, with examples").Required().OneOf({"keys"});
  return [topic](const Console& console) -> Expected<int> {
    console.Write(std::string(RowKeyHelp()));
    return kExitOk;
  };
}

}  // namespace klip::cli
