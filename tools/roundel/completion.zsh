#compdef roundel
# zsh completion for roundel: commands, and the options that each command's --help lists.
local -a candidates
if ((CURRENT == 2)); then
  candidates=(${(f)"$($words[1] --help 2>/dev/null | sed -n 's/^  \([a-z]\+\)  *\(.*\)/\1:\2/p')"}
              'help:print the help of a command')
  _describe command candidates
elif [[ $PREFIX == -* ]]; then
  candidates=(${(f)"$($words[1] $words[2] --help 2>/dev/null |
    sed -n 's/^  \(-., \|    \)\(--[a-z-]*\).*/\2/p')"})
  compadd -a candidates
elif [[ $words[CURRENT-1] == --backend ]]; then
  compadd auto cpu cuda
  [[ $words[2] != regress ]] || compadd cpu,cuda
else
  _files
fi
