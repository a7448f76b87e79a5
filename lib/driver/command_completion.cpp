// mlgc completion: what a shell completes, and the manual page.
#include "diag/kinds_driver.h"
#include "driver/arguments.h"
#include "driver/completion.h"

namespace mlgc {

ExitCode run_completion(const Words& words) {
  Arguments arguments("completion",
                      "Prints completions of commands, flags and their values for a shell, or the manual page.",
                      "  source <(mlgc completion bash)                                  for this shell\n"
                      "  mlgc completion zsh > ~/.zfunc/_mlgc                            a folder of fpath\n"
                      "  mlgc completion fish > ~/.config/fish/completions/mlgc.fish\n"
                      "  mlgc completion man > mlgc.1 && man ./mlgc.1\n"
                      "An installation has all of them (docs/installing.md).\n");
  std::string shell;
  arguments.add_positional("shell", shell, "bash|zsh|fish|man", "The shell; man: the manual page", true);
  arguments.add_diagnostic_flags();
  if (const auto over = arguments.parse(words)) return *over;
  using Print = std::string (*)(std::span<const FlagTable>);
  constexpr std::pair<std::string_view, Print> kShells[] = {
      {"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}, {"man", manual_page}};
  for (const auto& [name, print] : kShells)
    if (name == shell) {
      const Status<> written = write_product("-", print(all_flags()));
      return written ? ExitCode::Ok : arguments.console().report(diagnose<kCannotWrite>({}, written.error()));
    }
  return arguments.console().report(
      diagnose<kBadFlag>({}, "`" + shell + "` is none of bash|zsh|fish|man", "completion"));
}

}  // namespace mlgc
