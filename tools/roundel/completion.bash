# bash completion for roundel; `roundel --complete WORD...` prints the candidates.
_roundel() {
  # Readline splits "--backend=cpu" and "a:b.yaml" into several words, and replaces the last one.
  local words=() word kept i line
  for ((i = 1; i <= COMP_CWORD; ++i)); do
    if ((i > 1)) && [[ ${COMP_WORDS[i]} == [=:]* || ${words[-1]} == *[=:] ]]; then
      words[-1]+=${COMP_WORDS[i]}
    else
      words+=("${COMP_WORDS[i]}")
    fi
  done
  word=${words[-1]}
  kept=${word%"${word##*[=:]}"}
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      '<files>') compopt -o default ;;
      '<folders>') compopt -o dirnames ;;
      '<scenes>')
        compopt -o filenames -o plusdirs
        word=${word#[\"\']} word=${word//\\/}
        mapfile -t COMPREPLY < <(compgen -f -- "$word" | grep -E '\.(ya?ml|json)$')
        ;;
      *) COMPREPLY+=("${line%%$'\t'*}") ;;
    esac
  done < <("${COMP_WORDS[0]}" --complete "${words[@]}" 2>/dev/null)
  COMPREPLY=("${COMPREPLY[@]#"$kept"}")
}
complete -F _roundel roundel
