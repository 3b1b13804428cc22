#!/usr/bin/env bash
# completion_test.sh ROUNDEL: what completion offers is what --help lists; of zsh and fish where they are installed.
# shellcheck source=tests/setup/testing.sh
source "$(dirname "${BASH_SOURCE[0]}")/testing.sh"
source_dir=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
roundel=$(realpath "$1")
# shellcheck source=tools/roundel/completion.bash
source "$source_dir/tools/roundel/completion.bash"

# offered WORD...: the completions of the last word of a command line, one a line, sorted.
offered() {
  # shellcheck disable=SC2034  # bash's own interface of completion functions
  COMP_WORDS=("$roundel" "$@") COMP_CWORD=$# COMPREPLY=()
  _roundel
  printf '%s\n' "${COMPREPLY[@]}" | sort -u
}

# The first words of the help's indented lines.
commands=$("$roundel" --help | grep -oE '^  [a-z]+  ' | tr -d ' ' | sort -u)
[[ $commands == *render*selftest* ]] || fail "the help lists no commands: $commands"
missing=$(comm -23 <(echo "$commands") <(offered ''))
[[ -z $missing ]] || fail "not offered: $missing"
[[ $(offered rend) == render ]] || fail "rend becomes $(offered rend)"

for command in $commands; do
  options=$("$roundel" "$command" --help | grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u)
  [[ -n $options ]] || fail "the help of $command lists no options"
  diff <(echo "$options") <(offered "$command" --) || fail "roundel $command: options differ"
done
[[ $(offered render --backend '') == $'auto\ncpu\ncuda' ]] || fail "--backend: $(offered render --backend '')"
[[ $(offered regress --backend '') == $'auto\ncpu\ncpu,cuda\ncuda' ]] || fail "--backend: $(offered regress --backend '')"

cd "$work"
touch scene.yaml
[[ $(offered render sc) == scene.yaml ]] || fail "files are not offered"

# The same of the other shells. zsh's script runs with stand-ins for the functions that it calls.
zsh_offered() {
  # shellcheck disable=SC2016  # for zsh
  zsh -fc 'compadd() { [[ $1 == -a ]] && print -rl -- ${(P)2} || print -rl -- $@ }
_describe() { print -rl -- ${${(P)2}%%:*} }
_files() { print -rl -- *(N) }
script=$1; shift
words=("$@") CURRENT=$# PREFIX=$words[-1]; source $script' zsh "$source_dir/tools/roundel/completion.zsh" "$roundel" "$@" | sort -u
}
fish_offered() {
  PATH=${roundel%/*}:$PATH fish --no-config -c "source '$source_dir/tools/roundel/completion.fish'; complete -C 'roundel $*'" |
    cut -f 1 | sort -u
}
for shell in zsh fish; do
  command -v "$shell" >/dev/null || continue
  diff <(printf '%s\nhelp\n' "$commands" | sort) <("${shell}_offered" '' | grep -v '^-') || fail "$shell: commands differ"
  for command in render diff; do
    options=$("$roundel" "$command" --help | grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u)
    diff <(echo "$options") <("${shell}_offered" "$command" --) || fail "$shell: roundel $command: options differ"
  done
  [[ $shell == fish || $(zsh_offered regress --backend '') == $'auto\ncpu\ncpu,cuda\ncuda' ]] || fail "zsh: --backend"
  [[ $("${shell}_offered" render scene) == *scene.yaml* ]] || fail "$shell: files are not offered"
done
