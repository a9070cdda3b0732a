// klip man: manual pages of the program and of each command, generated from the texts of --help.
#include <filesystem>
#include <fstream>

#include "cli/command.h"
#include "cli/command_tree.h"

namespace klip::cli {
namespace {

// For roff: a line that begins with a dot or quote is a request, a hyphen a dash.
std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += std::string("\\&") + c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string Head(const std::string& title, const std::string& summary) {
  return ".TH " + title + " 1 \"\" \"klip " KLIP_VERSION "\"\n.SH NAME\n" + Escaped(title + " - " + summary) + "\n";
}

// The names in bold, and the value in italics.
std::string Tagged(const ArgumentNode& argument) {
  const auto bold = [](const std::string& name) { return "\\fB" + Escaped(name) + "\\fR"; };
  std::string out =
      ".TP\n" + (argument.short_name.empty() ? "" : bold(argument.short_name) + ", ") + bold(argument.name);
  if (!argument.positional && !argument.value.empty()) {
    out += " \\fI" + Escaped(argument.value) + "\\fR";
  }
  std::string choices;
  for (const std::string& choice : argument.choices) {
    choices += (choices.empty() ? " (" : ", ") + choice;
  }
  return out + "\n" + Escaped(argument.help + (choices.empty() ? "" : choices + ")")) + "\n";
}

std::string PageOf(const CommandNode& command) {
  std::string usage;
  std::string arguments;
  std::string options;
  for (const ArgumentNode& argument : command.arguments) {
    (argument.positional ? arguments : options) += Tagged(argument);
    if (argument.positional) {
      const std::string name = "\\fI" + Escaped(argument.name) + "\\fR" + (argument.many ? "..." : "");
      usage += argument.required ? " " + name : " [" + name + "]";
    }
  }
  return Head("klip-" + command.name, command.summary) + ".SH SYNOPSIS\n\\fBklip " + command.name +
         "\\fR [\\fIOPTIONS\\fR]" + usage + "\n" + (arguments.empty() ? "" : ".SH ARGUMENTS\n" + arguments) +
         (options.empty() ? "" : ".SH OPTIONS\n" + options) +
         ".SH EXIT STATUS\n0 success, 1 not found or condition not met, 2 invalid command line, 3 error of the "
         "store\n.SH SEE "
         "ALSO\n\\fBklip\\fR(1)\n";
}

std::string PageOf(const std::vector<CommandNode>& tree) {
  std::string page = Head("klip", "HBase's data model in one directory, with row-key schemas and scans that jump") +
                     ".SH SYNOPSIS\n\\fBklip\\fR \\fICOMMAND\\fR [\\fIARGUMENT\\fR...]\n.SH COMMANDS\n";
  for (const CommandNode& command : tree) {
    page += ".TP\n\\fB" + Escaped("klip-" + command.name) + "\\fR(1)\n" + Escaped(command.summary) + "\n";
  }
  return page;
}

}  // namespace

Run AddManCommand(Arguments* args) {
  auto directory = std::make_shared<std::string>();
  args->Add("DIRECTORY", directory.get(), "directory for klip.1, klip-get.1 and so on; created if it does not exist")
      .Required();
  return [directory, arguments = *args](const Console&) -> Expected<int> {
    std::error_code error;
    std::filesystem::create_directories(*directory, error);
    const std::vector<CommandNode> tree = arguments.Tree();
    auto write = [&](const std::string& name, const std::string& page) {
      std::ofstream file(*directory + "/" + name + ".1", std::ios::binary);
      file << page;
      file.close();
      return file ? Status::Ok() : Status(Code::kIoError, "cannot write " + *directory + "/" + name + ".1");
    };
    KLIP_RETURN_IF_ERROR(write("klip", PageOf(tree)));
    for (const CommandNode& command : tree) {
      if (command.name != "shell") {  // `klip-shell --man` writes that
        KLIP_RETURN_IF_ERROR(write("klip-" + command.name, PageOf(command)));
      }
    }
    return kExitOk;
  };
}

}  // namespace klip::cli
