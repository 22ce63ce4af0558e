# Completes pit's command lines in bash. Source it from ~/.bashrc, or let bash-completion load it; it works without.
# It starts no program and only reads pit's own folders. The names in them came from an exchange, so each is checked
# against a pattern before it is used.

#{tree}

# The words of the line up to the cursor, as pit would see them: readline also splits at = and :.
# Sets words, cur (the last word) and lead (the part of cur that readline does not replace).
__pit_words() {
  local rest=$COMP_LINE bare word index count=0
  for ((index = 0; index <= COMP_CWORD; index++)); do
    word=${COMP_WORDS[index]}
    bare=${rest#"${rest%%[!$' \t\n']*}"}
    if [[ $count -gt 0 && $bare == "$rest" ]]; then
      words[count - 1]+=$word
    else
      words[count++]=$word
    fi
    rest=${bare#"$word"}
  done
  local tail=$((${#COMP_LINE} - ${#rest} - COMP_POINT))
  cur=${words[count - 1]}
  if ((tail > 0 && tail <= ${#word})); then
    cur=${cur:0:${#cur}-tail}
    word=${word:0:${#word}-tail}
  fi
  [[ $word == [=:] ]] && word=
  lead=${cur%"$word"}
}

# Consumes a complete word: updates the command, the flags used and what may follow.
__pit_take() {
  if [[ -n $kind ]]; then
    [[ $flag == --profile ]] && profile=$1
    kind=
  elif [[ -n $ended ]]; then
    others=$((others + 1))
  elif [[ $1 == -- ]]; then
    ended=1
  elif [[ $1 == -[!0-9.]* ]]; then
    flag=${1%%=*}
    used+="$flag "
    __pit_flag_kind
    [[ $1 == *=* ]] || return 0
    [[ $flag == --profile ]] && profile=${1#*=}
    kind=
  elif [[ $position -eq 0 && " $subs " == *" $1 "* ]]; then
    path+=${path:+ }$1
    [[ $path == help ]] && path= helping=1
    __pit_command "$path"
    [[ -n $helping ]] && arguments=
  else
    __pit_argument_kind
    if [[ $kind == @market ]]; then
      __pit_plain "$1"
      market=${plain//[!a-z0-9_]/}
    elif [[ $path == api && $position -eq 0 ]]; then
      __pit_command "api $1"
      [[ -n $arguments ]] || __pit_command api
    fi
    kind=
    position=$((position + 1))
  fi
}

__pit_flag_kind() {
  local entry
  kind=
  for entry in $flags $__pit_globals; do
    [[ $entry == "$flag="* || $entry == "$flag+="* ]] && kind=${entry#*=} && return
  done
}

__pit_argument_kind() {
  local entry index=0
  kind=
  for entry in $arguments; do
    [[ $index -eq $position || $entry == *... ]] && kind=${entry%...} && return
    index=$((index + 1))
  done
}

# A market or a coin in pit's own form: BTC/USDT becomes btc_usdt.
__pit_plain() {
  plain=${1//[\/-]/_}
  if ((BASH_VERSINFO[0] >= 4)); then plain=${plain,,}; fi
}

__pit_home() {
  local data=$1 xdg=$2 mac=$3
  if [[ -n ${PIT_HOME-} ]]; then
    home=$PIT_HOME/$data
  elif [[ $OSTYPE == darwin* ]]; then
    home=$HOME/Library/$mac/pit
  else
    home=${xdg:-$HOME/.$data}/pit
  fi
}

# Sets text to the content of one of pit's small files.
__pit_read() {
  text=
  [[ -f $1 && -r $1 ]] && IFS= read -r -d '' text <"$1"
  return 0
}

# Sets text to a file of names for the profile in use.
__pit_symbols() {
  local home folder text_of_active
  if [[ -n ${PIT_TRADE_URL-}${PIT_BASE_URL-} ]]; then
    folder=+${PIT_TRADE_URL-}+${PIT_BASE_URL-}
    folder=${folder//[!A-Za-z0-9+]/_}
  else
    folder=${profile:-${PIT_PROFILE-}}
    if [[ -z $folder ]]; then
      __pit_home config "${XDG_CONFIG_HOME-}" Preferences
      __pit_read "$home/active.json"
      folder=sandbox
      [[ $text =~ \"active\":[[:space:]]*\"([a-z0-9_-]+)\" ]] && folder=${BASH_REMATCH[1]}
    fi
  fi
  text=
  [[ $folder == *[!A-Za-z0-9+_-]* ]] && return
  __pit_home cache "${XDG_CACHE_HOME-}" Caches
  __pit_read "$home/symbols/$folder/$1"
}

# Offers the lines of a file of names. If the whole file is letters, digits and _, the shell can safely split it into
# words; otherwise each line is checked alone.
__pit_names() {
  local text line rule='^[A-Za-z0-9]{1,36}(_[a-z0-9]{1,20})?$'
  __pit_symbols "$1"
  if [[ $text != *[!A-Za-z0-9_$'\n']* ]]; then
    if [[ -z $value$before ]]; then
      COMPREPLY+=($text)
    else
      COMPREPLY+=($(compgen -P "$before" -W "$text" -- "$value"))
    fi
    return
  fi
  while IFS= read -r line; do
    [[ $line =~ $rule ]] && __pit_offer "$line"
  done <<<"$text"
}

# Offers order ids (id) or client ids (client), newest first, only of the market on the line if there is one. What the
# orders are is not shown: bash has no place for it.
__pit_orders() {
  local text line like='*'
  __pit_symbols orders
  [[ -n $market ]] && like="$market *"
  [[ -n $market && $1 == id ]] && like="$market ${value//[!0-9]/?}*"
  builtin compopt -o nosort 2>/dev/null
  if [[ $text != *[!A-Za-z0-9_.,$' \n'-]* ]]; then
    # it holds nothing special to the shell, which can split it much faster
    local IFS=$'\n'
    for line in $text; do if [[ $line == $like ]]; then __pit_order "$1" "$line"; fi; done
    return
  fi
  while IFS= read -r line; do if [[ $line == $like ]]; then __pit_order "$1" "$line"; fi; done <<<"$text"
}

__pit_order() {
  local rest=${2#* }
  local id=${rest%% *} own=${rest#* }
  local terms=${own#"${own%% *}"}
  own=${own%% *}
  [[ $terms == *[!a-z0-9.,' ']* ]] && return
  [[ -z $id || $id == *[!0-9]* || $rest != *' '* ]] && return
  if [[ $1 == id ]]; then
    __pit_offer "$id"
  elif [[ $own == ????* && $own != *[!A-Za-z0-9]* ]]; then
    __pit_offer "$own"
  fi
}

__pit_profiles() {
  local home file name
  __pit_home config "${XDG_CONFIG_HOME-}" Preferences
  __pit_offer sandbox
  # a glob without a match would be an error under failglob
  while IFS= read -r file; do
    name=${file##*/}
    name=${name%.json}
    [[ $name =~ ^[a-z0-9][a-z0-9_-]{0,31}$ && $name != sandbox ]] && __pit_offer "$name"
  done < <(compgen -f -- "$home/profiles/")
}

# Offers channels of pit stream: the kinds, after a colon the markets, and after another one the types of candles. A word
# that is not complete gets no space after it, where bash can leave that out.
__pit_channels() {
  local sort=${value%%:*} word isopen=
  if [[ $value != *:* ]]; then
    for word in ticker: depth: trades: kline: orders orders: balances cross-balances; do __pit_offer "$word"; done
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *: ]] && isopen=1
  elif [[ $sort == kline && $value == *:*:* ]]; then
    before+=${value%:*}:
    value=${value##*:}
    for word in 1min 3min 5min 15min 30min 1hour 2hour 4hour 6hour 12hour 1day 3day 1week; do __pit_offer "$word"; done
  elif [[ $sort == ticker || $sort == depth || $sort == trades || $sort == kline || $sort == orders ]]; then
    before+=$sort:
    __pit_plain "${value#*:}"
    value=$plain
    __pit_names markets
    [[ $sort == kline ]] && COMPREPLY=("${COMPREPLY[@]/%/:}") && isopen=1
  fi
  [[ -n $isopen ]] && builtin compopt -o nospace 2>/dev/null
  return 0
}

__pit_offer() {
  [[ $1 == "$value"* ]] && COMPREPLY+=("$before$1")
}

# Offers files (-f) or commands (-c). Their names may hold anything, so what readline does not quote by itself is quoted
# here: before bash 4 it quotes nothing. A leading ~ stays as typed.
__pit_shells() {
  local found tilde= quoted
  [[ $1 == -f ]] && builtin compopt -o filenames 2>/dev/null
  local by_readline=$?
  [[ $value == '~'*/* ]] && tilde=${value%%/*}/
  while IFS= read -r found; do
    if ((by_readline != 0)); then
      printf -v quoted %q "${found#"$tilde"}"
      found=$tilde$quoted
    fi
    COMPREPLY+=("$before$found")
  done < <(compgen "$1" -- "$value")
}

# Offers the values of a kind. value is the typed part, before is what precedes it in the same word.
__pit_value() {
  local plain word
  case $1 in
    @market) __pit_plain "$value"; value=$plain; __pit_names markets ;;
    @channel) __pit_channels ;;
    @coin) __pit_plain "$value"; value=$plain; __pit_names coins ;;
    @unresolved) __pit_names unresolved ;;
    @order) __pit_orders id ;;
    @clientId) __pit_orders client ;;
    @profile) __pit_profiles ;;
    @file) __pit_shells -f ;;
    @program) __pit_offer -- ;;
    ,*)
      before+=${value%"${value##*,}"}
      value=${value##*,}
      local IFS='|'
      for word in ${1#,}; do [[ ",$before" == *[,=]"$word",* ]] || __pit_offer "$word"; done
      ;;
    -) ;;
    *)
      local IFS='|'
      for word in $1; do __pit_offer "$word"; done
      ;;
  esac
}

__pit_flags() {
  local entry name
  for entry in $flags $__pit_globals; do
    name=${entry%%[+=]*}
    [[ $entry == *+=* || $used != *" $name "* ]] && __pit_offer "$name"
  done
}

_pit() {
  local LC_ALL=C IFS=$' \t\n'
  local words cur lead value before= index
  local subs flags arguments path= helping= ended= others=0 position=0 kind= flag= used=' ' market= profile= plain=
  words=()
  COMPREPLY=()
  __pit_words
  __pit_command ''
  for ((index = 1; index < ${#words[@]} - 1; index++)); do __pit_take "${words[index]}"; done
  value=$cur
  if [[ -n $ended ]]; then
    if ((others == 0)); then __pit_shells -c; else __pit_shells -f; fi
  elif [[ -n $kind ]]; then
    __pit_value "$kind"
  elif [[ $cur == --*=* ]]; then
    flag=${cur%%=*}
    value=${cur#*=}
    before=$flag=
    __pit_flag_kind
    __pit_value "$kind"
  elif [[ $cur == -* ]]; then
    __pit_flags
  else
    if ((position == 0)); then for index in $subs; do __pit_offer "$index"; done; fi
    __pit_argument_kind
    [[ -n $kind ]] && __pit_value "$kind"
    [[ -z $cur && -z $kind && -z $subs ]] && __pit_flags
  fi
  # after name= comes its value
  [[ ${COMPREPLY[0]-} == *= ]] && builtin compopt -o nospace 2>/dev/null
  [[ -n $lead ]] && for index in "${!COMPREPLY[@]}"; do COMPREPLY[index]=${COMPREPLY[index]#"$lead"}; done
  return 0
}

complete -F _pit pit
