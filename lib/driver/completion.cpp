// See completion.h.
#include "driver/completion.h"

#include <algorithm>

namespace mlgc {
namespace {

// Up to the first stop: what all commands call the flag.
std::string head_of(const std::string& summary) { return summary.substr(0, summary.find_first_of(".:;\n")); }

// In single quotes of a shell.
std::string single_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// For a value that is a path; for others nothing can be offered.
bool is_path(const FlagEntry& flag) {
  for (const std::string_view word : {"FILE", "FOLDER", "MODEL", "file", "PATH", "COMMAND"})
    if (flag.value.find(word) != std::string::npos) return true;
  return false;
}

std::string words_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// The words that may follow a command without a flag: of `completion` its shells, of others files.
const FlagEntry* positional_of(const FlagTable& table) {
  const auto found = std::find_if(table.flags.begin(), table.flags.end(),
                                  [](const FlagEntry& flag) { return flag.names.empty() && !flag.choices.empty(); });
  return found == table.flags.end() ? nullptr : &*found;
}

std::string subject_names() {
  std::string text;
  for (const Command& subject : explain_subjects()) text += (text.empty() ? "" : " ") + std::string(subject.name);
  return text;
}

// For `_arguments` of zsh: brackets and colons end a part.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(const FlagEntry& flag) {
  if (!flag.choices.empty()) return "(" + words_text(flag.choices) + ")";
  return is_path(flag) ? "_files" : "";
}

// For man(7): no line begins with a request, and a dash is a dash.
std::string roff(std::string_view text) {
  std::string out;
  bool at_margin = true;
  for (const char c : text) {
    if (at_margin && (c == '.' || c == '\'')) out += "\\&";
    out += c == '\\' ? std::string("\\e") : c == '-' ? std::string("\\-") : std::string(1, c);
    at_margin = c == '\n';
  }
  return out;
}

}  // namespace

std::string bash_completion(std::span<const FlagTable> tables) {
  std::string commands_text;
  for (const Command& command : commands()) commands_text += std::string(command.name) + " ";
  std::string flags, values;
  for (const FlagTable& table : tables) {
    flags += "    " + single_quoted(table.command) + ") echo " + single_quoted([&] {
               std::string all;
               for (const FlagEntry& flag : table.flags)
                 for (const std::string& name : flag.names)
                   all += (all.empty() ? "" : " ") + name + (flag.value.empty() || !name.starts_with("--") ? "" : "=");
               return all;
             }()) +
             " ;;\n";
    for (const FlagEntry& flag : table.flags)
      for (const std::string& name : flag.names)
        if (!flag.value.empty())
          values += "    " + single_quoted(table.command + " " + name) + ") echo " +
                    single_quoted(!flag.choices.empty() ? words_text(flag.choices)
                                  : is_path(flag)       ? "@file"
                                                        : "@any") +
                    " ;;\n";
    if (const FlagEntry* words = positional_of(table))
      values +=
          "    " + single_quoted(table.command + " ") + ") echo " + single_quoted(words_text(words->choices)) + " ;;\n";
  }
  return "# bash completion of mlgc, printed by `mlgc completion bash`.\n"
         "_mlgc_flags() {\n  case $1 in\n" +
         flags +
         "  esac\n}\n"
         "# What a flag takes: words, @file or @any; nothing for a switch.\n"
         "_mlgc_values() {\n  case $1 in\n" +
         values + R"sh(  esac
}
_mlgc_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$1")
}
_mlgc() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command='' flag='' words i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      -* | =) ;;
      *)
        if [[ -z $command ]]; then
          command=${COMP_WORDS[i]}
        elif [[ $command == explain && " )sh" +
         subject_names() + R"sh( " == *" ${COMP_WORDS[i]} "* ]]; then
          command="explain ${COMP_WORDS[i]}"
        else
          break
        fi ;;
    esac
  done
  if [[ -z $command ]]; then
    mapfile -t COMPREPLY < <(compgen -W ")sh" +
         commands_text + R"sh(--help --version" -- "$cur")
    return
  fi
  # `=` breaks words: the flag stands before it.
  if [[ $cur == = ]]; then
    flag=$prev cur=''
  elif [[ $prev == = ]]; then
    flag=${COMP_WORDS[COMP_CWORD-2]}
  elif [[ $prev == -* && $cur != -* ]]; then
    flag=$prev
  fi
  if [[ -n $flag ]]; then
    words=$(_mlgc_values "$command $flag")
    case $words in
      @file) _mlgc_files "$cur"; return ;;
      @any) return ;;
      ?*) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur"); return ;;
    esac
  fi
  if [[ $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_mlgc_flags "$command")" -- "$cur")
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
    return
  fi
  words=$(_mlgc_values "$command ")
  [[ $command == explain ]] && words=')sh" +
         subject_names() + R"sh('
  if [[ -n $words ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    [[ ${#COMPREPLY[@]} -gt 0 ]] && return
  fi
  _mlgc_files "$cur"
}
complete -F _mlgc mlgc
)sh";
}

std::string zsh_completion(std::span<const FlagTable> tables) {
  const auto described = [](std::span<const Command> list) {
    std::string text;
    for (const Command& command : list)
      text += "    " + single_quoted(std::string(command.name) + ":" + std::string(command.summary)) + "\n";
    return text;
  };
  std::string cases;
  for (const FlagTable& table : tables) {
    cases += "    " + single_quoted(table.command) + ")\n      _arguments -s -S";
    for (const FlagEntry& flag : table.flags)
      for (const std::string& name : flag.names) {
        std::string spec = "*" + name + (flag.value.empty() ? "" : name.starts_with("--") ? "=" : "+");
        spec += "[" + zsh_text(head_of(flag.summary)) + "]";
        if (!flag.value.empty()) spec += ":" + zsh_text(flag.value) + ":" + zsh_action(flag);
        cases += " \\\n        " + single_quoted(spec);
      }
    const FlagEntry* words = positional_of(table);
    cases += " \\\n        " +
             single_quoted(words == nullptr ? "*:file:_files" : "*:word:(" + words_text(words->choices) + ")") +
             " ;;\n";
  }
  return "#compdef mlgc\n# zsh completion of mlgc, printed by `mlgc completion zsh`.\n"
         "_mlgc() {\n  local -a commands subjects\n  commands=(\n" +
         described(commands()) + "  )\n  subjects=(\n" + described(explain_subjects()) +
         R"(  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  if [[ $command == explain ]]; then
    if (( CURRENT == 3 )); then
      _describe subject subjects
      _files
      return
    fi
    command="explain $words[3]"
    shift words
    (( CURRENT-- ))
  fi
  shift words
  (( CURRENT-- ))
  case $command in
)" + cases +
         "    *) _files ;;\n  esac\n}\n_mlgc \"$@\"\n";
}

std::string fish_completion(std::span<const FlagTable> tables) {
  std::string text =
      "# fish completion of mlgc, printed by `mlgc completion fish`.\ncomplete -c mlgc -n __fish_use_subcommand -f\n";
  for (const Command& command : commands())
    text += "complete -c mlgc -n __fish_use_subcommand -a " + std::string(command.name) + " -d " +
            single_quoted(command.summary) + "\n";
  for (const Command& subject : explain_subjects())
    text += "complete -c mlgc -n '__fish_seen_subcommand_from explain' -a " + std::string(subject.name) + " -d " +
            single_quoted(subject.summary) + "\n";
  for (const FlagTable& table : tables) {
    const bool is_subject = table.command.starts_with("explain ");
    const std::string name = is_subject ? table.command.substr(8) : table.command;
    const std::string condition =
        is_subject ? "'__fish_seen_subcommand_from explain; and __fish_seen_subcommand_from " + name + "'"
                   : "'__fish_seen_subcommand_from " + name + "; and not __fish_seen_subcommand_from explain'";
    for (const FlagEntry& flag : table.flags) {
      if (flag.names.empty()) continue;
      text += "complete -c mlgc -n " + condition;
      for (const std::string& word : flag.names)
        text += word.starts_with("--") ? " -l " + word.substr(2) : " -s " + word.substr(1);
      if (!flag.choices.empty())
        text += " -x -a " + single_quoted(words_text(flag.choices));
      else if (!flag.value.empty())
        text += is_path(flag) ? " -r -F" : " -x";
      text += " -d " + single_quoted(head_of(flag.summary)) + "\n";
    }
    if (const FlagEntry* words = positional_of(table))
      text += "complete -c mlgc -n " + condition + " -f -a " + single_quoted(words_text(words->choices)) + "\n";
  }
  return text;
}

std::string manual_page(std::span<const FlagTable> tables) {
  std::string text = ".\\\" Printed by `mlgc completion man`.\n.TH MLGC 1 \"\" \"mlgc " MLGC_VERSION
                     "\"\n.SH NAME\nmlgc \\- an ML graph compiler\n.SH SYNOPSIS\n.B mlgc\n.I COMMAND\n"
                     "[\\fIFLAG\\fR...] [\\fIFILE\\fR]\n.SH COMMANDS\n";
  const auto list = [&text](std::span<const Command> rows) {
    for (const Command& row : rows) text += ".TP\n.B " + roff(row.name) + "\n" + roff(row.summary) + "\n";
  };
  list(commands());
  text += ".SH SUBJECTS OF EXPLAIN\n";
  list(explain_subjects());
  text += ".SH FLAGS\n";
  for (const FlagTable& table : tables) {
    text += ".SS " + roff("mlgc " + table.command) + "\n" + roff(table.summary) + "\n";
    for (const FlagEntry& flag : table.flags) {
      if (flag.summary.empty()) continue;  // passes: `mlgc passes` describes them
      std::string names;
      for (const std::string& name : flag.names) names += (names.empty() ? "\\fB" : "\\fR, \\fB") + roff(name);
      text += ".TP\n" + names + "\\fR" +
              (flag.value.empty() ? "" : (names.empty() ? "\\fI" : " \\fI") + roff(flag.value) + "\\fR") + "\n" +
              roff(flag.summary) + "\n";
    }
  }
  return text +
         ".SH EXIT STATUS\n0 ok, 1 bad input, 2 bad usage, 3 unsupported, 4 mismatch, 5 limit exceeded, 70 internal "
         "error.\n.SH SEE ALSO\n`mlgc COMMAND \\-\\-help` has examples of each command.\n";
}

}  // namespace mlgc
