#compdef roundel
# zsh completion for roundel; `roundel --complete WORD...` prints the candidates.
local -a candidates
candidates=(${(f)"$($words[1] --complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)"})
case $candidates[1] in
  \<*\>) [[ $words[CURRENT] != --*=* ]] || compset -P '*=' ;;
esac
case $candidates[1] in
  '<files>') _files ;;
  '<folders>') _files -/ ;;
  '<scenes>') _files -g '*.(yaml|yml|json)' ;;
  *$'\t'*)
    candidates=("${(@)candidates/$'\t'/:}")
    _describe command candidates
    ;;
  *) compadd -a candidates ;;
esac
