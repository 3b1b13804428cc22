#!/usr/bin/env bash
# completion_test.sh ROUNDEL: what bash completion offers is what --help lists.
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

cd "$work"
touch scene.yaml
[[ $(offered render sc) == scene.yaml ]] || fail "files are not offered"
