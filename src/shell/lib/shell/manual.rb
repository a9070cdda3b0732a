require 'shell/console'
require 'shell/options'
require 'shell/session'

module Shell
  # klip-shell(1), in roff, from what --help and help print.
  class Manual
    def page
      [head, synopsis, options, commands, language, exit_status, files, see_also].join
    end

    private

    def head
      %(.TH klip-shell 1 "" "klip #{Klip::VERSION}"\n.SH NAME\n) + text("klip-shell - HBase's shell on klip's stores and on clusters\n")
    end

    def synopsis
      <<~'ROFF'
        .SH SYNOPSIS
        \fBklip shell\fR [\fIOPTIONS\fR] [\fIURI\fR] [\fISCRIPT\fR [\fIARGUMENTS\fR]]
        .SH DESCRIPTION
        Ruby with HBase's shell commands, on a store in a directory or on a cluster. With a script it runs that; then it reads
        commands from the terminal, with history and completion, or from standard input.
      ROFF
    end

    def options
      ".SH OPTIONS\n" + preformatted(Options::USAGE.lines.drop(2).join.strip)
    end

    def commands
      ".SH COMMANDS\n" + ::Shell.groups.values.map { |group|
        ".SS #{text(group.title)}\n" + (group.comment ? preformatted(group.comment) : '') +
          group.command_names.sort.map { |name|
            ".TP\n\\fB#{text(name)}\\fR\n" + preformatted(::Shell.commands[name].help.strip)
          }.join
      }.join
    end

    def language
      ".SH LANGUAGE\n" + preformatted(Shell::USAGE.lines.drop(1).join.strip)
    end

    def exit_status
      <<~'ROFF'
        .SH EXIT STATUS
        0 at the end of the input; 1 after an error, of a script always and of standard input with \fB\-n\fR; 2 when the command line
        cannot be understood; 3 when the store cannot be opened; what a script gives to \fBexit\fR.
      ROFF
    end

    def files
      ".SH FILES\n.TP\n\\fI~/#{text(Console::HISTORY_FILE)}\\fR\nwhat was typed\n"
    end

    def see_also
      ".SH SEE ALSO\n\\fBklip\\fR(1)\n"
    end

    # For roff: a line that begins with a dot or quote is a request, a hyphen a dash.
    def text(words)
      words.gsub('\\', '\\e').gsub('-', '\\-').gsub(/^[.']/) { |first| "\\&#{first}" }
    end

    def preformatted(words)
      ".nf\n#{text(words)}\n.fi\n"
    end
  end
end
