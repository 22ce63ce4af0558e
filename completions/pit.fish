# Completes pit's command lines in fish: a file of a completions folder, read when pit is first completed.
# The shell alone answers: no program is started, and pit's own folders are only read. What is read there came from an
# exchange and is held against what names and ids are made of before any of it is used.

# Made by `npm run generate` from the commands: not to be changed by hand.
# What can follow each command, a line each: the word, or what it is made of, then a tab and what it is about. A flag
# is --flag=KIND where it takes a value, + where it may be repeated. A KIND is a list of words (after a comma: several in
# one), the name of a list (@market), or - for anything.
function __pit_tree_subs
    switch "$argv[1]"
        case ''
            printf '%s\t%s\n' \
                'markets' 'Markets with their tick and lot sizes and minimums' \
                'ticker' 'Last price, best bid and ask, and the change over 24 hours' \
                'depth' 'The order book, with spread and cumulative amounts' \
                'trades' 'Public trades, oldest first' \
                'kline' 'Candles, oldest first' \
                'order' 'Place an order; what is left out is asked for on a terminal' \
                'orders' 'Orders of a market, newest first; open ones unless told' \
                'cancel' 'Cancel orders by id, which asks nothing, or all open orders of a market, which asks' \
                'cancel-after' 'Have the exchange cancel every order of a market in one minute, unless this is called again' \
                'resolve' 'Find out what became of writes whose outcome is unknown' \
                'api' 'Call any operation of the interface by its name' \
                'doctor' 'Look at configuration, hosts, clock, key and journal, and say what mends them' \
                'account' 'The account behind the key, and what the key may do' \
                'balance' 'What you have: available, frozen in orders, total' \
                'bills' 'Every change of your balances, newest first' \
                'address' 'Where to send a coin to: the address, and the memo, on each chain' \
                'deposits' 'Deposits of a coin, newest first' \
                'withdrawals' 'Withdrawals of a coin, newest first' \
                'fees' 'What withdrawals cost, and which chains are open' \
                'schema' 'What the JSON of a command holds, as a JSON Schema' \
                'withdraw' 'Withdraw a coin to a verified address; what is left out is asked for on a terminal' \
                'profile' 'Exchanges by name: their hosts and settings' \
                'keys' 'The key pair of a profile' \
                'completion' 'Print the script that completes command lines in a shell' \
                'sandbox' 'The exchange in a box' \
                'help' 'Show help for a command'
        case 'order'
            printf '%s\t%s\n' \
                'batch' 'Place many orders, from a file or as a ladder; goes on where it was stopped' \
                'show' 'One order, by its id or your own' \
                'replace' 'Give an open order another price or amount: cancel it, then place what remains'
        case 'profile'
            printf '%s\t%s\n' \
                'list' 'The profiles, and which one is in use' \
                'add' 'Name an exchange by its hosts' \
                'use' 'Use a profile from now on' \
                'show' 'A profile with its settings' \
                'set' 'Set a host or a setting of a profile' \
                'unset' 'Take a setting of a profile away' \
                'remove' 'Remove a profile and its keys; asks'
        case 'keys'
            printf '%s\t%s\n' \
                'set' 'Store the keys of a profile: asked for, from stdin, or from a file' \
                'show' 'The last four characters of a profile\'s keys' \
                'remove' 'Remove a profile\'s keys; asks'
        case 'completion'
            printf '%s\t%s\n' \
                'install' 'Put the completion where a shell looks; says what it will do, and asks' \
                'uninstall' 'Take the completion out again; says what it will do, and asks'
        case 'sandbox'
            printf '%s\t%s\n' \
                'serve' 'Run the sandbox exchange in the foreground; prints one line of JSON when ready' \
                'start' 'Start the sandbox exchange in the background' \
                'stop' 'Stop the sandbox exchange; its state is kept' \
                'status' 'Whether the sandbox runs, where, and with which play keys' \
                'reset' 'Stop the sandbox and forget its orders, balances and history; asks' \
                'account' 'Accounts of the sandbox and their play keys' \
                'deposit' 'Send play coins to an account, which are credited after their confirmations' \
                'transfer' 'Move play coins to another account, or between the spot and a margin wallet' \
                'price' 'Lead the price of a sandbox market somewhere, and let it go on from there' \
                'replay' 'Let a market of the sandbox follow a file of candles or trades' \
                'export' 'Write the whole exchange to one file: books, balances, ids, bills, trades, candles' \
                'import' 'Put an exported exchange in the place of this one; asks where something would be lost' \
                'clock' 'The sandbox\'s clock: stop it, set it, run it faster' \
                'fault' 'Faults on demand, and what they really did'
        case 'sandbox account'
            printf '%s\t%s\n' \
                'add' 'Add an account with play keys of its own; it owns nothing yet' \
                'list' 'The accounts of the sandbox with their play keys' \
                'show' 'What an account has in its spot and margin wallets'
        case 'sandbox clock'
            printf '%s\t%s\n' \
                'stop' 'Stop the sandbox\'s clock; orders still trade, time does not pass' \
                'start' 'Let the sandbox\'s clock run on from where it stands' \
                'set' 'Set the sandbox\'s clock to a later time; it never goes back' \
                'speed' 'How fast the sandbox\'s clock runs' \
                'advance' 'Set the sandbox\'s clock forward; what is due by then happens'
        case 'sandbox fault'
            printf '%s\t%s\n' \
                'add' 'Let requests to the sandbox go wrong, and note what was really done' \
                'list' 'The faults that are switched on' \
                'clear' 'Switch a fault off, or all of them; their log stays' \
                'log' 'What faults were applied, and what was really done, oldest first'
    end
end

function __pit_tree_flags
    switch "$argv[1]"
        case 'markets'
            printf '%s\t%s\n' \
                '--base=@coin' 'only markets that trade this coin' \
                '--quote=@coin' 'only markets priced in this coin'
        case 'ticker'
            printf '%s\t%s\n' \
                '--quote=@coin' 'only markets priced in this coin' \
                '--sort=change|volume|market' 'change, volume (both largest first) or market'
        case 'depth'
            printf '%s\t%s\n' \
                '--size=-' 'levels a side, 1 to 50' \
                '--merge=-' 'put prices of this step together (5 levels)'
        case 'trades'
            printf '%s\t%s\n' \
                '--since=-' 'the 50 trades after this one'
        case 'kline'
            printf '%s\t%s\n' \
                '--type=1min|3min|5min|15min|30min|1hour|2hour|4hour|6hour|12hour|1day|3day|1week' '1min, 3min, 5min, 15min, 30min, 1hour, 2hour, 4hour, 6hour, 12hour, 1day, 3day, 1week; 1hour unless told' \
                '--since=-' 'from this time on' \
                '--until=-' 'up to this time' \
                '--size=-' 'how many; 24 unless a time is given'
        case 'order'
            printf '%s\t%s\n' \
                '--at=-' 'a number, or bid, ask or mid with an offset: bid+2ticks, mid-0.5%' \
                '--post-only' 'only rest in the book; refused where it would fill at once' \
                '--ioc' 'fill at once what can be filled, cancel the rest' \
                '--account=spot|isolated|cross' 'spot, isolated or cross' \
                '--borrow' 'borrow what is missing (margin)' \
                '--repay' 'repay with what comes in (margin)' \
                '--id=-' 'your own id for it, 4 to 36 letters or digits' \
                '--override+=,price-band|order-notional|day-notional|post-only' 'send it although this guard holds: price-band, order-notional, day-notional, post-only'
        case 'order batch'
            printf '%s\t%s\n' \
                '--file=@file' 'price,amount lines, or {"price":…,"amount":…} lines; - reads stdin' \
                '--ladder=-' 'n orders at prices from one to the other: 30000:31000:20' \
                '--amount=-' 'what a ladder comes to at most, in the base coin' \
                '--weight=equal|linear' 'equal, or linear: growing towards the end' \
                '--account=spot|isolated|cross' 'spot, isolated or cross' \
                '--override+=,price-band|order-notional|day-notional|post-only' 'send it although this guard holds: price-band, order-notional, day-notional, post-only' \
                '--resume=@unresolved' 'go on with a job that was stopped'
        case 'order show'
            printf '%s\t%s\n' \
                '--id=@clientId' 'your own id for it' \
                '--wait=open|filled|closed' 'until it is open (there at all), filled or closed (filled or cancelled); --timeout says how long'
        case 'order replace'
            printf '%s\t%s\n' \
                '--id=@clientId' 'your own id of the order' \
                '--at=-' 'the new price: a number, or bid, ask or mid with an offset' \
                '--amount=-' 'the new total, what has filled included: in the base coin (0.5) or a value (100usdt); a share (50%) is of what will be available, and comes on top of what has filled' \
                '--account=spot|isolated|cross' 'spot, isolated or cross: the account that the order belongs to, which the exchange does not tell (default: as pit placed it, spot where it placed none on margin)' \
                '--borrow' 'borrow what is missing (margin); taken over from an order that pit placed' \
                '--repay' 'repay with what comes in (margin); taken over likewise' \
                '--override+=,price-band|order-notional|day-notional|post-only' 'send it although this guard holds: price-band, order-notional, day-notional, post-only'
        case 'orders'
            printf '%s\t%s\n' \
                '--side=buy|sell' 'only buy or sell' \
                '--state=open|filled|cancelled|all' 'open, filled, cancelled or all' \
                '--page=-' 'one page of 10 orders of a side, before --state is applied' \
                '--all' 'every page; open orders are always looked for on every page'
        case 'cancel'
            printf '%s\t%s\n' \
                '--id=@clientId' 'your own id of the order' \
                '--all' 'every open order of the market, until none is left'
        case 'cancel-after'
            printf '%s\t%s\n' \
                '--hold' 'start the timer again every 15 seconds, until Ctrl-C or the end of the command'
        case 'resolve'
            printf '%s\t%s\n' \
                '--as=done|notSent' 'what you found out yourself of a call or withdrawal that pit cannot look up: done or notSent'
        case 'api'
            printf '%s\t%s\n' \
                '--raw' 'print the body as it came, in place of a table' \
                '--override+=,price-band|order-notional|day-notional|post-only' 'send it although this guard holds: price-band, order-notional, day-notional, post-only'
        case 'balance'
            printf '%s\t%s\n' \
                '--all' 'coins of which you have nothing, too' \
                '--in=@coin' 'what it is worth in this coin by the last prices, with the sum'
        case 'bills'
            printf '%s\t%s\n' \
                '--from=-' 'from this time on, to the end of the range' \
                '--to=-' 'up to this time' \
                '--page=-' 'one page of 50; the first unless told' \
                '--all' 'all there are, however old' \
                '--summary' 'how many there are of each coin and type, and their sums, over the whole range'
        case 'address'
            printf '%s\t%s\n' \
                '--single' 'ask for the one address of a coin with one chain' \
                '--withdraw' 'the verified address that you withdraw to'
        case 'deposits'
            printf '%s\t%s\n' \
                '--page=-' 'one page of 50; the first unless told' \
                '--all' 'every page'
        case 'withdrawals'
            printf '%s\t%s\n' \
                '--page=-' 'one page of 50; the first unless told' \
                '--all' 'every page'
        case 'withdraw'
            printf '%s\t%s\n' \
                '--to=-' 'the address; it has to be verified with the exchange' \
                '--memo=-' 'the memo, on chains that have them' \
                '--chain=-' 'whose fee and form of address count; it is not sent' \
                '--fee=-' 'the network fee; what the exchange asks for unless told' \
                '--internal' 'consent to a transfer within the exchange' \
                '--confirm-address=-' 'confirms it in a script: the whole address again' \
                '--safe-pwd-stdin' 'read the fund password from stdin' \
                '--safe-pwd-fd=-' 'read the fund password from a file descriptor'
        case 'profile add'
            printf '%s\t%s\n' \
                '--base-url=-' 'the market-data host, without /data/v1' \
                '--trade-url=-' 'the trade host, without /api' \
                '--ws-url=-' 'the WebSocket address'
        case 'keys set'
            printf '%s\t%s\n' \
                '--stdin' 'read the access key, a newline and the secret key from stdin' \
                '--file=@file' 'read the same two lines from a file'
        case 'sandbox serve'
            printf '%s\t%s\n' \
                '--port=-' 'the port on loopback; 0 takes any free one' \
                '--seed=-' 'what chance starts from' \
                '--no-limits' 'do not enforce the stated rate limits' \
                '--limit=-' 'other limits, for tests: key=600,address=off,lock=10s,kline=off,reqTime=5s' \
                '--strict-agent' 'refuse a User-Agent that is not a browser\'s' \
                '--kline-since=first|latest' 'the 1,000 rows after since where there are more: first or latest (default)' \
                '--zone=-' 'the zone of the interface\'s dates, such as +08:00; UTC when left out'
        case 'sandbox account add'
            printf '%s\t%s\n' \
                '--permissions=,asset|lever|entrust|money' 'of asset, lever, entrust, money: what its key may do (default: all)'
        case 'sandbox deposit'
            printf '%s\t%s\n' \
                '--account=-' 'whose deposit it is (default: the first account)' \
                '--chain=-' 'the chain it comes over (default: the first that is open)' \
                '--fail' 'let it fail before its last confirmation'
        case 'sandbox transfer'
            printf '%s\t%s\n' \
                '--from=-' 'whose coins they are (default: the first account)' \
                '--to=-' 'the account that gets them' \
                '--margin=@market' 'a margin wallet of the same account: cross, or a market' \
                '--back' 'from the margin wallet to the spot wallet'
        case 'sandbox price'
            printf '%s\t%s\n' \
                '--over=-' 'how long it takes, as 30s or 10m (default: at once)'
        case 'sandbox replay'
            printf '%s\t%s\n' \
                '--speed=-' 'times as fast as time, or max (default: max)'
        case 'sandbox fault add'
            printf '%s\t%s\n' \
                '--operation=markets|allTicker|ticker|depth|trades|kline|getAccountInfo|getSpotBills|getUserAddress|getPayinAddress|getWithdrawAddress|getWithdrawRecord|getChargeRecord|getFeeInfo|withdraw|order|orderMoreV2|cancelOrder|cancelAllOrdersAfter|getOrder|getOrders' 'only requests of this operation (default: any)' \
                '--probability=-' 'a chance from 0 to 1 for each request' \
                '--count=-' 'the next n requests, and then no more' \
                '--every=-' 'every nth request' \
                '--delay=-' 'how late, for delay and late' \
                '--skew=-' 'how far off, for skew; below zero is behind'
        case 'sandbox fault log'
            printf '%s\t%s\n' \
                '--after=-' 'only entries after this one'
    end
end

function __pit_tree_arguments
    switch "$argv[1]"
        case 'markets'
            printf '%s\t%s\n' \
                '@market' 'only this market'
        case 'ticker'
            printf '%s\t%s\n' \
                '@market...' 'the markets; all when none is named'
        case 'depth'
            printf '%s\t%s\n' \
                '@market' 'the market'
        case 'trades'
            printf '%s\t%s\n' \
                '@market' 'the market'
        case 'kline'
            printf '%s\t%s\n' \
                '@market' 'the market'
        case 'order'
            printf '%s\t%s\n' \
                'buy|sell' 'buy or sell' \
                '@market' 'the market' \
                '-' 'in the base coin (0.5), a share (50%) or a value (100usdt)'
        case 'order batch'
            printf '%s\t%s\n' \
                'buy|sell' 'buy or sell' \
                '@market' 'the market'
        case 'order show'
            printf '%s\t%s\n' \
                '@market' 'the market' \
                '@order' 'the order id'
        case 'order replace'
            printf '%s\t%s\n' \
                '@market' 'the market' \
                '@order' 'the order id'
        case 'orders'
            printf '%s\t%s\n' \
                '@market' 'the market; without it those that pit wrote in lately'
        case 'cancel'
            printf '%s\t%s\n' \
                '@market' 'the market' \
                '@order...' 'the order ids'
        case 'cancel-after'
            printf '%s\t%s\n' \
                '@market' 'the market' \
                '@program...' 'with --hold, after --: a command; the timer is held while it runs'
        case 'resolve'
            printf '%s\t%s\n' \
                '@unresolved' 'the id that a message named; without it all that is unknown'
        case 'api'
            printf '%s\t%s\n' \
                'markets|allTicker|ticker|depth|trades|kline|getAccountInfo|getSpotBills|getUserAddress|getPayinAddress|getWithdrawAddress|getWithdrawRecord|getChargeRecord|getFeeInfo|withdraw|order|orderMoreV2|cancelOrder|cancelAllOrdersAfter|getOrder|getOrders' 'the operation: depth, getOrder, setExpressState …' \
                '-...' 'its parameters as name=value'
        case 'balance'
            printf '%s\t%s\n' \
                '@coin...' 'only these coins'
        case 'bills'
            printf '%s\t%s\n' \
                '@coin' 'only this coin'
        case 'address'
            printf '%s\t%s\n' \
                '@coin' 'the coin'
        case 'deposits'
            printf '%s\t%s\n' \
                '@coin' 'the coin'
        case 'withdrawals'
            printf '%s\t%s\n' \
                '@coin' 'the coin'
        case 'fees'
            printf '%s\t%s\n' \
                '@coin' 'only this coin'
        case 'schema'
            printf '%s\t%s\n' \
                '-...' 'the words of a command, or error; every one when none is named'
        case 'withdraw'
            printf '%s\t%s\n' \
                '@coin' 'the coin' \
                '-' 'in the coin (0.5), or a share of what is available (50%)'
        case 'profile add'
            printf '%s\t%s\n' \
                '-' 'a name for it: lower-case letters, digits, - and _'
        case 'profile use'
            printf '%s\t%s\n' \
                '@profile' 'the profile'
        case 'profile show'
            printf '%s\t%s\n' \
                '@profile' 'the profile; the one in use when none is named'
        case 'profile set'
            printf '%s\t%s\n' \
                '@profile' 'the profile' \
                'base-url|trade-url|ws-url|priceBand|orderNotional|dayNotional|postOnlyGuard|withdrawLimit|withdrawDayLimit|withdrawAddresses|limiter|limiterShare|caFile|reqTimeTolerance|withdrawFee|zone' 'base-url, trade-url, ws-url or a setting' \
                '-' 'its value'
        case 'profile unset'
            printf '%s\t%s\n' \
                '@profile' 'the profile' \
                'base-url|trade-url|ws-url|priceBand|orderNotional|dayNotional|postOnlyGuard|withdrawLimit|withdrawDayLimit|withdrawAddresses|limiter|limiterShare|caFile|reqTimeTolerance|withdrawFee|zone' 'the setting'
        case 'profile remove'
            printf '%s\t%s\n' \
                '@profile' 'the profile'
        case 'completion'
            printf '%s\t%s\n' \
                'bash|zsh|fish' 'bash, zsh, fish'
        case 'completion install'
            printf '%s\t%s\n' \
                'bash|zsh|fish' 'bash, zsh or fish; your own when left out'
        case 'completion uninstall'
            printf '%s\t%s\n' \
                'bash|zsh|fish' 'bash, zsh or fish; your own when left out'
        case 'sandbox account add'
            printf '%s\t%s\n' \
                '-' 'the name of the account'
        case 'sandbox account show'
            printf '%s\t%s\n' \
                '-' 'the account; the first one when left out'
        case 'sandbox deposit'
            printf '%s\t%s\n' \
                '@coin' 'the coin' \
                '-' 'how much of it'
        case 'sandbox transfer'
            printf '%s\t%s\n' \
                '@coin' 'the coin' \
                '-' 'how much of it'
        case 'sandbox price'
            printf '%s\t%s\n' \
                '@market' 'the market' \
                '-' 'the price'
        case 'sandbox replay'
            printf '%s\t%s\n' \
                '@market' 'the market' \
                '@file' 'time,open,high,low,close,volume; or time,id,side,price,amount; or a common export'
        case 'sandbox export'
            printf '%s\t%s\n' \
                '@file' 'where to; it is replaced'
        case 'sandbox import'
            printf '%s\t%s\n' \
                '@file' 'what pit sandbox export wrote'
        case 'sandbox clock set'
            printf '%s\t%s\n' \
                '-' 'ISO 8601 (without a zone: UTC) or milliseconds since 1970'
        case 'sandbox clock speed'
            printf '%s\t%s\n' \
                '-' 'times as fast as time; 1 is as fast as time'
        case 'sandbox clock advance'
            printf '%s\t%s\n' \
                '-' 'how far, as 90s, 15m, 2h or 7d'
        case 'sandbox fault add'
            printf '%s\t%s\n' \
                'drop-before|drop-after|delay|late|truncate|error-before|error-after|html-before|html-after|twice|redirect|rate-limit|skew' 'one of drop-before, drop-after, delay, late, truncate, error-before, error-after, html-before, html-after, twice, redirect, rate-limit, skew'
        case 'sandbox fault clear'
            printf '%s\t%s\n' \
                '-' 'the number of the fault; all when left out'
    end
end

function __pit_tree_globals
    printf '%s\t%s\n' \
        '--profile=@profile' 'use this profile' \
        '--json' 'print one JSON document' \
        '--csv' 'print comma-separated values' \
        '--fields=-' 'only these fields of a table or of --csv: id,price' \
        '--yes' 'answer a confirmation with yes' \
        '--dry-run' 'check everything and send no write' \
        '--timeout=-' 'how long the whole command may take (default: 30; listings have it for each page, a batch has what it needs)' \
        '--no-color' 'print without colours' \
        '--verbose' 'tell about each request on stderr' \
        '--version' 'print the version' \
        '-V' 'print the version' \
        '--help' 'show help for a command' \
        '-h' 'show help for a command'
end

# The kind of the flag in argv[1] as argv[2..] have it: nothing for a switch.
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

# The kind of the argument at a place, counted from 0.
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

# The lines of a file of names of the exchange in use, as far as they fit a pattern.
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

# The files that a path can become; fish's own list of them starts ls.
function __pit_files
    set -l path $argv[1]
    string match -q '~/*' -- $path; and set path $HOME(string sub -s 2 -- $path)
    for file in $path*
        test -d $file; and set file $file/
        test "$path" = "$argv[1]"; or set file '~'(string sub -s (math 1 + (string length -- $HOME)) -- $file)
        printf '%s\n' $file
    end
end

# What a word of a kind can be, of a market and a profile on the line; argv[4] is what is typed of it.
function __pit_value --argument-names kind market profile typed
    set -l of $market
    test -n "$of"; or set of '[a-z0-9_]+'
    switch "$kind"
        case @market
            __pit_lines "$profile" markets '[a-z0-9]{1,20}_[a-z0-9]{1,20}'
        case @coin
            __pit_lines "$profile" coins '[a-z0-9]{1,20}'
        case @unresolved
            __pit_lines "$profile" unresolved '[A-Za-z0-9]{4,36}'
        case @order
            __pit_lines "$profile" orders "$of [0-9]{1,19} [A-Za-z0-9-]{1,36}" | string replace -r '^\S+ (\S+) .*' '$1'
        case @clientId
            __pit_lines "$profile" orders "$of [0-9]{1,19} [A-Za-z0-9]{4,36}" | string replace -r '.* ' ''
        case @profile
            __pit_profiles
        case @file
            __pit_files "$typed"
        case @program
            # echo would take it for its own
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

complete -c pit -f -a '(__pit_complete)'
