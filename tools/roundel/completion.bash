# bash completion for roundel: commands, and the options that each command's --help lists.
_roundel() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} candidates
  if ((COMP_CWORD == 1)) || { ((COMP_CWORD == 2)) && [[ ${COMP_WORDS[1]} == help ]]; }; then
    candidates="$("${COMP_WORDS[0]}" --help 2>/dev/null | sed -n 's/^  \([a-z]\+\) .*/\1/p') help --help --version"
  elif [[ $previous == --backend ]]; then
    candidates="auto cpu cuda"
    [[ ${COMP_WORDS[1]} != regress ]] || candidates+=" cpu,cuda"
  elif [[ $previous == --heatmap ]]; then
    candidates="layers overlaps stop"
  elif [[ $word == -* ]]; then
    candidates=$("${COMP_WORDS[0]}" "${COMP_WORDS[1]}" --help 2>/dev/null |
      sed -n 's/^  \(-., \|    \)\(--[a-z-]*\).*/\2/p')
  else
    COMPREPLY=($(compgen -f -- "$word"))
    return
  fi
  COMPREPLY=($(compgen -W "$candidates" -- "$word"))
}
complete -o filenames -F _roundel roundel
