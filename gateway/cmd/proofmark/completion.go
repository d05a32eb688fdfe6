package main

import (
	"context"
	"flag"
	"fmt"
	"sort"
	"strings"

	"proofmark/gateway/core"
)

var completionCommand = &command{
	name: "completion", args: "bash|zsh|fish", summary: "print a completion script for a shell",
	long: `Prints a completion script for commands and flags.

  source <(proofmark completion bash)
  proofmark completion zsh > "${fpath[1]}/_proofmark"
  proofmark completion fish > ~/.config/fish/completions/proofmark.fish`,
	run: runCompletion,
}

func runCompletion(_ context.Context, a *app, args []string) error {
	pos, err := a.parse(a.flags("completion"), args, 1, 1)
	if err != nil {
		return err
	}
	var names []string
	for _, c := range commands {
		names = append(names, c.name)
	}
	names = append(names, "help")
	sort.Strings(names)
	flags := allFlags()
	switch pos[0] {
	case "bash":
		a.printf(`_proofmark() {
  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}"
  local IFS=$' \t\n'
  if [ "$COMP_CWORD" -eq 1 ] || [ "$prev" = help ]; then
    COMPREPLY=($(compgen -W "%s" -- "$cur"))
  elif [ "$prev" = completion ]; then
    COMPREPLY=($(compgen -W "bash zsh fish" -- "$cur"))
  elif [ "$prev" = kill ] || [ "$prev" = unkill ]; then
    COMPREPLY=($(compgen -W "artifactPromptAnnotations documentWorkbenchResources --list --reason" -- "$cur"))
  elif [ "$prev" = models ]; then
    COMPREPLY=($(compgen -W "set-key forget-key --check" -- "$cur"))
  elif [ "$prev" = --write ]; then
    COMPREPLY=($(compgen -W "auto ask never" -- "$cur"))
  elif [ "$prev" = --context ] && [ "${COMP_WORDS[1]}" != diff ]; then
    COMPREPLY=($(compgen -W "auto none show" -- "$cur"))
  elif [[ "$cur" == -* ]]; then
    COMPREPLY=($(compgen -W "%s" -- "$cur"))
  else
    IFS=$'\n'
    COMPREPLY=($(compgen -f -- "$cur"))
  fi
}
complete -o filenames -F _proofmark proofmark
`, strings.Join(names, " "), strings.Join(flags, " "))
	case "zsh":
		a.printf("#compdef proofmark\nif (( CURRENT == 2 )); then\n  compadd %s\nelif [[ $PREFIX == -* ]]; then\n  compadd -- %s\nelse\n  _files -g '*.htm(l|)'\nfi\n",
			strings.Join(names, " "), strings.Join(flags, " "))
	case "fish":
		for _, c := range commands {
			a.printf("complete -c proofmark -n __fish_use_subcommand -a %s -d %s\n", c.name, shellQuote(c.summary))
		}
		for _, f := range flags {
			a.printf("complete -c proofmark -l %s\n", strings.TrimPrefix(f, "--"))
		}
	default:
		return core.Errorf(core.Usage, "there is no completion for %q", pos[0]).WithHint("bash, zsh or fish")
	}
	return nil
}

// allFlags lists every flag some command takes, read from the flag sets.
func allFlags() []string {
	a := &app{}
	fs := a.flags("all")
	var f editFlags
	f.targets(fs)
	f.viewport(fs)
	f.outcome(fs)
	new(certifyFlags).add(fs)
	out := []string{"--do", "--from", "--base", "--list", "--show", "--commit", "--check", "--limit", "--note", "--generation", "--before", "--stat", "--move", "--remove", "--discard", "--message", "--edit", "--seen", "--state", "--session", "--again", "--only", "--dry-run", "--deep", "--repair", "--request-id", "--turn", "--after", "--follow", "--scripting", "--keep", "--merge", "--ours", "--theirs", "--moved-from", "--bundle", "--bundle-json", "--as"}
	fs.VisitAll(func(fl *flag.Flag) { out = append(out, fmt.Sprintf("--%s", fl.Name)) })
	sort.Strings(out)
	return out
}
