# Completes pit's command lines in bash. Source it from ~/.bashrc, or let bash-completion load it; it works without.
# It asks `pit __complete`, which sends no request and writes nothing. The line and the answer are text: nothing here
# expands or runs them, and a word that bash would have to quote is left out.

_pit() {
  local answer word about index width=0 IFS=$' \t\n'
  local abouts=()
  COMPREPLY=()
  answer=$(command pit __complete "${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null)
  case $answer in
    # readline completes files, because COMPREPLY is empty
    :file) return ;;
    :program)
      [[ $3 == -- ]] || return
      answer=$(compgen -c -- "$2")
      ;;
  esac
  # before bash 4 there is no compopt, and readline offers files if nothing else fits
  builtin compopt +o default 2>/dev/null
  builtin compopt -o nosort 2>/dev/null
  while IFS=$'\t' read -r word about; do
    [[ -z $word || $word == *[!A-Za-z0-9_.,:=+/-]* ]] && continue
    COMPREPLY+=("$word")
    abouts+=("$about")
    ((${#word} > width)) && width=${#word}
  done <<<"$answer"
  # a word that ends with = or : continues
  [[ ${COMPREPLY[0]-} == *[=:] ]] && builtin compopt -o nospace 2>/dev/null
  # a single word is inserted, and menu-complete (37) and insert-completions (42) insert each that is listed
  [[ ${#COMPREPLY[@]} -lt 2 || $COMP_TYPE == 37 || $COMP_TYPE == 42 ]] && return
  # of several, what they have in common is inserted: never a description, since no two words are equal
  for index in "${!COMPREPLY[@]}"; do
    word=${COMPREPLY[index]}
    [[ -n ${abouts[index]} ]] && printf -v word '%-*s  (%s)' "$width" "$word" "${abouts[index]}"
    COMPREPLY[index]=${word:0:${COLUMNS:-80}-1}
  done
}

complete -o default -F _pit pit
