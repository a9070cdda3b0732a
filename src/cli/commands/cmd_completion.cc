// klip completion: the script by which a shell completes klip's command line. It calls `klip complete`, so it always
// matches the installed program: commands, options, their values, and the tables of a store.
#include <algorithm>
#include <string_view>

#include "cli/command.h"
#include "cli/command_tree.h"

namespace klip::cli {
namespace {

// Lines that tell the shell to complete files or directories itself.
constexpr std::string_view kFiles = ":files";
constexpr std::string_view kDirectories = ":directories";

constexpr std::string_view kBash = R"sh(# bash completion of klip: eval "$(klip completion bash)"
_klip() {
  local line typed=${COMP_LINE:0:COMP_POINT} before words
  read -ra words <<< "$typed"
  [[ $typed == *[[:space:]] ]] && words+=("")
  before=${words[${#words[@]}-1]}
  before=${before%"${before##*:}"} # bash treats the text after a colon as a separate word
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) compopt -o default ;;
      :directories) compopt -o dirnames ;;
      *)
        line=${line%%$'\t'*}
        COMPREPLY+=("${line#"$before"}")
        ;;
    esac
  done < <("${words[0]}" complete "${words[@]:1}" 2> /dev/null)
}
complete -F _klip klip
)sh";

constexpr std::string_view kZsh = R"sh(#compdef klip
# zsh completion of klip: eval "$(klip completion zsh)", or this file as _klip on $fpath.
_klip() {
  local line
  local -a candidates
  while IFS= read -r line; do
    case $line in
      :files) _files ;;
      :directories) _files -/ ;;
      *) candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
    esac
  done < <("${words[1]}" complete "${(@)words[2,CURRENT]}" 2> /dev/null)
  (( $#candidates == 0 )) || _describe klip candidates
}
if [ "${funcstack[1]}" = _klip ]; then _klip "$@"; else compdef _klip klip; fi
)sh";

constexpr std::string_view kFish = R"sh(# fish completion of klip: klip completion fish | source
function __klip_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in ($words[1] complete $words[2..-1] 2> /dev/null)
    switch $line
      case :files
        __fish_complete_path (commandline -ct)
      case :directories
        __fish_complete_directories (commandline -ct)
      case '*'
        echo $line
    end
  end
end
complete -c klip -f -a '(__klip_complete)'
)sh";

// The words before the one to complete.
struct Typed {
  const ArgumentNode* awaited = nullptr;    // an option that still needs its value
  std::vector<std::string_view> positions;  // positional arguments so far
};

const ArgumentNode* Find(const CommandNode& command, std::string_view name) {
  auto found = std::find_if(command.arguments.begin(), command.arguments.end(),
                            [&](const ArgumentNode& one) { return one.name == name && !one.positional; });
  return found == command.arguments.end() ? nullptr : &*found;
}

Typed Read(const CommandNode& command, const std::vector<std::string>& words) {
  Typed typed;
  for (size_t i = 1; i + 1 < words.size(); ++i) {
    if (typed.awaited != nullptr) {
      typed.awaited = nullptr;
    } else if (words[i].starts_with('-')) {
      const ArgumentNode* option = Find(command, words[i]);
      typed.awaited = option == nullptr || option->value.empty() ? nullptr : option;
    } else {
      typed.positions.push_back(words[i]);
    }
  }
  return typed;
}

class Candidates {
 public:
  Candidates(const Console& console, std::string_view typed) : console_(console), typed_(typed) {}

  void Add(std::string_view word, std::string_view help) const {
    if (word.starts_with(typed_)) {
      console_.Print("{}\t{}\n", word, help);
    }
  }

  // Adds the values of an argument. `store`: the store on the command line so far.
  void AddValues(const ArgumentNode& argument, std::string_view store) const {
    for (const std::string& choice : argument.choices) {
      Add(choice, argument.help);
    }
    if (argument.name == "STORE") {
      console_.Print("{}\n", kDirectories);
    } else if (argument.name == "TABLE" && !store.empty()) {
      AddTables(std::string(store));
    } else if (argument.choices.empty() && (!argument.positional || argument.name == "FILE")) {
      console_.Print("{}\n", kFiles);
    }
  }

 private:
  // Adds nothing if the store cannot be opened, e.g. while a server has it open.
  void AddTables(const std::string& store) const {
    auto connection = OpenStore(store);
    auto tables = connection.ok() ? (*connection)->admin().ListTables()
                                  : Expected<std::vector<TableDescriptor>>(connection.status());
    for (const TableDescriptor& table : tables.ok() ? *tables : std::vector<TableDescriptor>()) {
      Add(table.name, "table");
    }
  }

  const Console& console_;
  const std::string_view typed_;
};

void Complete(const std::vector<CommandNode>& tree, const std::vector<std::string>& words, const Console& console) {
  const Candidates candidates(console, words.empty() ? "" : std::string_view(words.back()));
  if (words.size() < 2) {
    for (const CommandNode& command : tree) {
      candidates.Add(command.name, command.summary);
    }
    return;
  }
  auto command =
      std::find_if(tree.begin(), tree.end(), [&](const CommandNode& one) { return one.name == words.front(); });
  if (command == tree.end()) {
    return;
  }
  const Typed typed = Read(*command, words);
  const std::string_view store = typed.positions.empty() ? std::string_view() : typed.positions.front();
  if (typed.awaited != nullptr) {
    candidates.AddValues(*typed.awaited, store);
    return;
  }
  size_t position = 0;
  for (const ArgumentNode& argument : command->arguments) {
    if (!argument.positional) {
      if (words.back().starts_with('-')) {
        candidates.Add(argument.name, argument.help);
      }
    } else if (position++ == typed.positions.size() && !words.back().starts_with('-')) {
      candidates.AddValues(argument, store);
    }
  }
}

}  // namespace

Run AddCompletionCommand(Arguments* args) {
  auto shell = std::make_shared<std::string>();
  args->Add("SHELL", shell.get(), "the shell").Required().OneOf({"bash", "zsh", "fish"});
  return [shell](const Console& console) -> Expected<int> {
    console.Write(*shell == "bash" ? kBash : *shell == "zsh" ? kZsh : kFish);
    return kExitOk;
  };
}

Run AddCompleteCommand(Arguments* args) {
  auto words = std::make_shared<std::vector<std::string>>();
  args->PassOn(words.get());
  return [words, arguments = *args](const Console& console) -> Expected<int> {
    Complete(arguments.Tree(), *words, console);
    return kExitOk;
  };
}

}  // namespace klip::cli
