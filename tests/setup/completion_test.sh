#!/usr/bin/env bash
# completion_test.sh ROUNDEL: completion offers the names of --help and the values of options; for zsh and fish if they
# are installed.
# shellcheck source=tests/setup/testing.sh
source "$(dirname "${BASH_SOURCE[0]}")/testing.sh"
source_dir=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
roundel=$(realpath "$1")
PATH=${roundel%/*}:$PATH

# said WORD...: prints the program's candidates for the last word of a command line, sorted, in one line.
said() { "$roundel" --complete "$@" | sort | paste -sd ' '; }
# expect_said EXPECTED WORD...
expect_said() { [[ $(said "${@:2}") == "$1" ]] || fail "roundel ${*:2}: $(said "${@:2}")"; }
options_of() { "$roundel" "$1" --help | grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u; }

# The first words of the help's indented lines.
commands=$("$roundel" --help | grep -oE '^  [a-z]+  ' | tr -d ' ' | sort -u)
[[ $commands == *render*selftest* ]] || fail "the help lists no commands: $commands"
diff <(printf '%s\nhelp\n--help\n--version\n' "$commands" | sort) <("$roundel" --complete '' | cut -f 1 | sort)
for command in $commands; do
  diff <(options_of "$command") <("$roundel" --complete "$command" -- | sort) || fail "roundel $command: options differ"
done
expect_said 'auto cpu cuda' render --backend ''
expect_said 'auto cpu cpu,cuda cuda' regress --backend ''
expect_said 'auto bar blender deadline json none openjd plain' render --progress ''
expect_said 'png' render --format pn
expect_said 'rgb24 rgb48le rgba rgba64le yuv420p yuv420p10le yuv444p' render --pixel-format ''
expect_said '--stats=json --stats=table' render --stats=
expect_said '--backend=cpu --backend=cuda' render --backend=c
expect_said 'layers overlaps stop' explain s.yaml --heatmap ''
expect_said 'results scene validation' schema ''
expect_said 'github' diff a b --annotations ''
expect_said '' render --size ''
expect_said '<files>' render -o ''
expect_said '<folders>' regress --goldens ''
expect_said '<scenes>' render a.yaml --backend cpu ''
expect_said '<scenes>' verify f_##.png --scene ''
expect_said '--antialias' render a.yaml --anti
expect_said 'exr pfm png' validate a.yaml --format ''
expect_said '<scenes>' render -- --ba
expect_said '<files>' diff ''

# In shells, in a folder with misleading names.
cd "$work"
mkdir render 'old scenes' goldens
touch scene.yaml 'my scene.yml' scenery.txt data.csv a:b.yaml

# bash, with typed keys: each line, a tab, and the completed line.
cat >type.py <<'PY'
import os, pty, sys
words, shown = sys.argv[2:], b""
child, terminal = pty.fork()
if child == 0:
    os.environ.update(PS1="", TERM="dumb")
    os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
def run(text, end):
    global shown
    os.write(terminal, text)
    while end not in shown:
        shown += os.read(terminal, 4096)
    before, shown = shown.split(end, 1)
    return before
run(b"bind 'set bell-style none'; bind -x '\"\\C-x\": echo \"{$READLINE_LINE}\"'; . '%s'; echo rea''dy\n" % sys.argv[1].encode(), b"ready")
for line in words:
    print(run(line.encode() + b"\t\x18", b"}").split(b"{")[-1].decode())
    os.write(terminal, b"\x15")
PY
# expect_typed LINE EXPECTED ...
expect_typed() {
  local lines=() expected=()
  while (($# > 0)); do
    lines+=("$1") expected+=("$2")
    shift 2
  done
  diff <(printf '%s\n' "${expected[@]}") \
    <(timeout 60 python3 type.py "$source_dir/tools/roundel/completion.bash" "${lines[@]}") || fail "bash: lines differ"
}
expect_typed 'roundel ren' 'roundel render ' \
  'roundel render my' 'roundel render my\ scene.yml ' \
  'roundel render "my' 'roundel render "my scene.yml" ' \
  'roundel render scene' 'roundel render scene.yaml ' \
  'roundel render a:b' 'roundel render a:b.yaml ' \
  'roundel render old' 'roundel render old\ scenes/' \
  'roundel render da' 'roundel render da' \
  'roundel render scene.yaml --each da' 'roundel render scene.yaml --each data.csv ' \
  'roundel render scene.yaml -o sceneryt' 'roundel render scene.yaml -o sceneryt' \
  'roundel render scene.yaml -o scenery' 'roundel render scene.yaml -o scenery.txt ' \
  'roundel regress scene.yaml --goldens go' 'roundel regress scene.yaml --goldens goldens/' \
  'roundel render --progress bl' 'roundel render --progress blender ' \
  'roundel render --progress=bl' 'roundel render --progress=blender ' \
  'roundel render --stats=j' 'roundel render --stats=json ' \
  'roundel render --over' 'roundel render --overwrite ' \
  'roundel schema re' 'roundel schema results '

# zsh's script runs with stand-ins for the functions that it calls; candidates for files go to zsh's own.
zsh_offered() {
  # shellcheck disable=SC2016  # for zsh
  zsh -fc 'compadd() { [[ $1 == -a ]] && print -rl -- ${(P)2} || print -rl -- $@ }
_describe() { print -rl -- ${${(P)2}%%:*} }
compset() { print compset }
_files() { print -r -- files $@ }
script=$1; shift
words=("$@") CURRENT=$# PREFIX=$words[-1]; source $script' zsh "$source_dir/tools/roundel/completion.zsh" "$roundel" "$@" |
    sort -u | paste -sd ' '
}
fish_offered() {
  fish --no-config -c "source '$source_dir/tools/roundel/completion.fish'; complete -C 'roundel $*'" | cut -f 1 | sort -u |
    paste -sd ' '
}
for shell in zsh fish; do
  command -v "$shell" >/dev/null || continue
  [[ $("${shell}_offered" '') == *render*selftest* ]] || fail "$shell: commands: $("${shell}_offered" '')"
  [[ $("${shell}_offered" render --) == "$(options_of render | paste -sd ' ')" ]] || fail "$shell: options of render"
  [[ $("${shell}_offered" render --progress '') == "$(said render --progress '')" ]] || fail "$shell: --progress"
  [[ $("${shell}_offered" render --stats=) == '--stats=json --stats=table' ]] || fail "$shell: --stats="
done
if command -v zsh >/dev/null; then
  [[ $(zsh_offered render sc) == 'files -g *.(yaml|yml|json)' ]] || fail "zsh: scenes: $(zsh_offered render sc)"
  [[ $(zsh_offered regress --goldens g) == 'files -/' ]] || fail "zsh: folders"
fi
if command -v fish >/dev/null; then
  [[ $(fish_offered render sc) == scene.yaml ]] || fail "fish: scenes: $(fish_offered render sc)"
  [[ $(fish_offered regress --goldens g) == goldens/ ]] || fail "fish: folders: $(fish_offered regress --goldens g)"
fi
