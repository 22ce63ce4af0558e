# Completes pit's command lines in fish. Put it into a completions folder, where fish finds it.
# It starts no program and only reads pit's own folders. The names in them came from an exchange, so each is checked
# against a pattern before it is used.

#{tree}

# The kind of the flag argv[1] among the entries argv[2..]; nothing for a switch.
function __pit_flag_kind
    for entry in $argv[2..]
        set -l word (string split -m1 \t -- $entry)[1]
        set -l parts (string split -m1 = -- $word)
        if test "$(string trim -r -c + -- $parts[1])" = "$argv[1]"
            set -q parts[2]; and echo $parts[2]
            return
        end
    end
end

# The kind of the argument at a position, counted from 0.
function __pit_argument_kind
    set -l index 0
    for entry in $argv[2..]
        set -l word (string split -m1 \t -- $entry)[1]
        if test $index -eq $argv[1]; or string match -q '*...' -- $word
            string replace -r '\.\.\.$' '' -- $word
            return
        end
        set index (math $index + 1)
    end
end

function __pit_home
    if test -n "$PIT_HOME"
        echo $PIT_HOME/$argv[1]
    else if test -d ~/Library/$argv[3]
        echo ~/Library/$argv[3]/pit
    else if test -n "$argv[2]"
        echo $argv[2]/pit
    else
        echo ~/.$argv[1]/pit
    end
end

# The lines of one of pit's small files.
function __pit_read
    test -f "$argv[1]" -a -r "$argv[1]"; or return
    set -l text
    read -z text <$argv[1]
    string split \n -- $text
end

# The lines of a file of names for the profile in use that match a pattern.
function __pit_lines --argument-names profile file pattern
    set -l folder
    if test -n "$PIT_TRADE_URL$PIT_BASE_URL"
        set folder (string replace -ra '[^A-Za-z0-9+]' _ -- "+$PIT_TRADE_URL+$PIT_BASE_URL")
    else if test -n "$profile"
        set folder $profile
    else if test -n "$PIT_PROFILE"
        set folder $PIT_PROFILE
    else
        set -l active (__pit_read (__pit_home config "$XDG_CONFIG_HOME" Preferences)/active.json)
        set folder (string match -rg '"active":\s*"([a-z0-9_-]+)"' -- "$active")
        test -n "$folder"; or set folder sandbox
    end
    string match -qr '^[A-Za-z0-9+_-]+$' -- $folder; or return
    string match -r "^$pattern\$" -- (__pit_read (__pit_home cache "$XDG_CACHE_HOME" Caches)/symbols/$folder/$file)
end

function __pit_profiles
    echo sandbox
    for file in (__pit_home config "$XDG_CONFIG_HOME" Preferences)/profiles/*.json
        string match -rg '/([a-z0-9][a-z0-9_-]{0,31})\.json$' -- $file
    end
end

# The files that start with a path. fish's own completion of files would start ls.
function __pit_files
    set -l path $argv[1]
    string match -q '~/*' -- $path; and set path $HOME(string sub -s 2 -- $path)
    for file in $path*
        test -d $file; and set file $file/
        test "$path" = "$argv[1]"; or set file '~'(string sub -s (math 1 + (string length -- $HOME)) -- $file)
        printf '%s\n' $file
    end
end

# Channels of pit stream: the kinds, after a colon the markets, and after another one the types of candles.
function __pit_channels --argument-names profile typed
    set -l parts (string split : -- $typed)
    if not set -q parts[2]
        printf '%s\n' ticker: depth: trades: kline: orders orders: balances cross-balances
    else if test "$parts[1]" = kline; and set -q parts[3]
        printf "$parts[1]:$parts[2]:%s\n" 1min 3min 5min 15min 30min 1hour 2hour 4hour 6hour 12hour 1day 3day 1week
    else if contains -- $parts[1] ticker depth trades kline orders
        set -l after ''
        test $parts[1] = kline; and set after :
        for market in (__pit_lines "$profile" markets '[a-z0-9]{1,20}_[a-z0-9]{1,20}')
            echo "$parts[1]:$market$after"
        end
    end
end

# A word of each open order of a market, the id ($1) or the client id ($2), with what the order is, newest first.
function __pit_orders --argument-names profile market client word
    for line in (__pit_lines "$profile" orders "$market [0-9]{1,19} $client(?: (?:buy|sell) [0-9.,]{1,60} at [0-9.,]{1,60})?")
        string replace -r '^\S+ (\S+) (\S+) ?(.*)' "$word\t"'$3' -- $line
    end
end

# The values of a kind, given the market, the profile and what is typed so far.
function __pit_value --argument-names kind market profile typed
    set -l of $market
    test -n "$of"; or set of '[a-z0-9_]+'
    switch "$kind"
        case @market
            __pit_lines "$profile" markets '[a-z0-9]{1,20}_[a-z0-9]{1,20}'
        case @channel
            __pit_channels "$profile" "$typed"
        case @coin
            __pit_lines "$profile" coins '[a-z0-9]{1,20}'
        case @unresolved
            __pit_lines "$profile" unresolved '[A-Za-z0-9]{4,36}'
        case @order
            __pit_orders "$profile" "$of" '[A-Za-z0-9-]{1,36}' '$1'
        case @clientId
            __pit_orders "$profile" "$of" '[A-Za-z0-9]{4,36}' '$2'
        case @profile
            __pit_profiles
        case @file
            __pit_files "$typed"
        case @program
            # echo would read it as an option
            printf '%s\n' --
        case ',*'
            set -l before (string match -r '.*,' -- $typed)
            for word in (string split '|' -- (string sub -s 2 -- $kind))
                contains -- $word (string split , -- "$before"); or echo "$before$word"
            end
        case -
        case '*'
            string split '|' -- $kind
    end
end

function __pit_flags
    set -l used $argv[1]
    for entry in $argv[2..]
        set -l parts (string split -m1 \t -- $entry)
        set -l name (string split -m1 = -- $parts[1])[1]
        set -l plain (string trim -r -c + -- $name)
        test $plain != $name; or not contains -- $plain (string split ' ' -- $used); and printf '%s\t%s\n' $plain $parts[2]
    end
end

function __pit_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l globals (__pit_tree_globals)
    set -l where ''
    set -l subs (__pit_tree_subs '')
    set -l flags
    set -l arguments
    set -l position 0
    set -l used
    set -l kind ''
    set -l flag ''
    set -l market ''
    set -l profile ''
    set -l helping ''
    set -l index 1
    for word in $words[2..]
        set index (math $index + 1)
        if test -n "$kind"
            test "$flag" = --profile; and set profile $word
            set kind ''
        else if test "$word" = --
            # another program's command line
            set -l rest $words[(math $index + 1)..]
            complete -C (string join ' ' -- (string escape -- $rest) $typed)
            return
        else if string match -qr '^-[^0-9.]' -- $word
            set -l parts (string split -m1 = -- $word)
            set flag $parts[1]
            set -a used $flag
            if set -q parts[2]
                test "$flag" = --profile; and set profile $parts[2]
            else
                set kind (__pit_flag_kind $flag $flags $globals)
            end
        else if test $position -eq 0; and contains -- $word (string replace -r '\t.*' '' -- $subs)
            set where (string trim -- "$where $word")
            if test "$where" = help
                set where ''
                set helping yes
            end
            set subs (__pit_tree_subs $where)
            test -n "$helping"; or set flags (__pit_tree_flags $where)
            test -n "$helping"; or set arguments (__pit_tree_arguments $where)
        else
            if test "$(__pit_argument_kind $position $arguments)" = @market
                set market (string lower -- $word | string replace -ra '[/-]' _)
                string match -qr '^[a-z0-9_]+$' -- $market; or set market ''
            else if test "$where" = api; and test $position -eq 0
                set -l operation (__pit_tree_arguments "api $word")
                test -n "$operation"; and set arguments $operation
            end
            set position (math $position + 1)
        end
    end
    if test -n "$kind"
        __pit_value "$kind" "$market" "$profile" "$typed"
    else if string match -qr '^--[^=]+=' -- $typed
        set -l parts (string split -m1 = -- $typed)
        set kind (__pit_flag_kind $parts[1] $flags $globals)
        for value in (test -n "$kind"; and __pit_value "$kind" "$market" "$profile" "$parts[2]")
            echo -- "$parts[1]=$value"
        end
    else if string match -q -- '-*' $typed
        __pit_flags "$used" $flags $globals
    else
        test $position -eq 0; and printf '%s\n' $subs
        set kind (__pit_argument_kind $position $arguments)
        test -n "$kind"; and __pit_value "$kind" "$market" "$profile" "$typed"
        test -z "$typed" -a -z "$kind" -a -z "$subs"; and __pit_flags "$used" $flags $globals
    end
end

# the order is kept: orders are newest first
complete -c pit -f -k -a '(__pit_complete)'
