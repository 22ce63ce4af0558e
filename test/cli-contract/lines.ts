/** The clock of a sandbox starts at the present and never goes back. */
const IN_THREE_HOURS = new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, '2026-01-01T00:00'.length);

/**
 * A command line that shows what the JSON of a command is like, in their order: what comes later builds on what came before. A command
 * without a line here is shown by the first of its examples.
 */
export interface Line {
  readonly words: string;
  readonly line: string;
  /** Runs in a home without a running sandbox. */
  readonly elsewhere?: true;
  /** The name of its golden document, if the command has another one, too. */
  readonly golden?: string;
  /** Runs for its side effects only. */
  readonly isUnkept?: true;
  /** What later lines take from its document, for `{name}`. */
  readonly learns?: (document: unknown) => Readonly<Record<string, string>>;
}

const idOf = (name: string) => (document: unknown) => ({ [name]: (document as { readonly id: string }).id });

const algoOf = idOf('algo');

function shown(words: string, rest = '', more: Partial<Line> = {}): Line {
  return { words, line: `${words}${rest === '' ? '' : ` ${rest}`}`, ...more };
}

export const LINES: readonly Line[] = [
  shown('ticker', 'btc_usdt'),
  shown('depth', 'btc_usdt --size 2'),
  shown('trades', 'btc_usdt'),
  shown('kline', 'btc_usdt --size 2'),
  shown('stream', 'ticker:btc_usdt --count 1'),
  shown('alert', 'btc_usdt last>1'),
  shown('order', 'buy btc_usdt 0.01 --at bid-5% --id golden1', { learns: idOf('order') }),
  shown('order batch', 'buy eth_usdt --ladder bid-1%:bid-5%:3 --amount 0.3'),
  shown('order show', 'btc_usdt {order}'),
  shown('orders', 'btc_usdt'),
  shown('order replace', 'btc_usdt {order} --at bid-6%', { learns: idOf('replaced') }),
  shown('resolve', 'golden1'),
  shown('commit'),
  shown('cancel', 'btc_usdt {replaced} 17'),
  shown('cancel-after', 'btc_usdt'),
  shown('halt', '--reason golden --for 1h'),
  { words: 'halt', line: 'halt --lift --confirm sandbox', isUnkept: true },
  { words: 'order', line: 'order sell btc_usdt 0.01 --stop bid-20%', isUnkept: true, learns: algoOf },
  shown('algo list'),
  shown('algo show', '{algo}'),
  shown('algo pause', '{algo}'),
  shown('algo resume', '{algo}'),
  shown('algo cancel', '{algo}'),
  shown('algo service', 'systemd'),
  shown('account'),
  shown('balance', 'btc usdt --in usdt'),
  shown('sandbox deposit', 'usdt 100'),
  // the hour would fill some of them, depending on the prices of the day
  { words: 'cancel', line: 'cancel eth_usdt --all', isUnkept: true },
  shown('sandbox clock advance', '1h'),
  shown('bills', 'usdt'),
  shown('address', 'usdt'),
  shown('deposits', 'usdt'),
  shown('withdrawals', 'usdt'),
  {
    words: 'address',
    line: 'address btc --withdraw',
    isUnkept: true,
    learns: (document) => ({ btc: (document as { readonly address: string }[])[0]?.address ?? '' }),
  },
  // its dry run: the fund password would be asked for
  shown('withdraw', 'btc 0.01 --to {btc} --dry-run'),
  shown('fees', 'usdt'),
  { words: 'order', line: 'order buy btc_usdt 0.01 --at ask+1% --id golden2', isUnkept: true },
  shown('fills', 'btc_usdt'),
  shown('pnl', 'btc_usdt'),
  shown('pnl', 'btc_usdt --by coin --in usdt', { golden: 'pnl-by-coin' }),
  shown('pnl', 'btc_usdt --by coin --in btc --lots', { golden: 'pnl-by-coin-lots' }),
  shown('ledger', '--format csv --out {ledger.csv}'),
  shown('api', 'markets'),
  shown('mcp config', 'claude'),
  shown('doctor'),
  shown('completion install', 'bash'),
  shown('completion uninstall', 'bash'),
  shown('profile list'),
  shown('profile add', 'overseas --base-url https://api.example.com --trade-url https://trade.example.com'),
  shown('profile use', 'sandbox'),
  shown('profile set', 'overseas zone +08:00'),
  shown('profile show', 'overseas'),
  shown('profile unset', 'overseas zone'),
  shown('keys set', '--profile overseas --file {keys}'),
  shown('keys show', '--profile overseas'),
  shown('keys remove', '--profile overseas'),
  shown('profile remove', 'overseas'),
  shown('sandbox serve', '--port 0', { elsewhere: true }),
  shown('sandbox start'),
  shown('sandbox status'),
  shown('sandbox stop', '', { elsewhere: true }),
  shown('sandbox reset', '', { elsewhere: true }),
  shown('sandbox account add', 'alice --permissions asset'),
  shown('sandbox account list'),
  shown('sandbox account show'),
  shown('sandbox transfer', 'usdt 5 --to alice'),
  shown('sandbox price', 'btc_usdt 25000'),
  shown('sandbox fault add', 'delay --delay 1 --operation getAccountInfo'),
  shown('sandbox fault list'),
  { words: 'account', line: 'account' },
  shown('sandbox fault log'),
  shown('sandbox fault clear'),
  shown('sandbox export', '{state.ndjson}'),
  shown('sandbox import', '{state.ndjson}'),
  shown('sandbox clock stop'),
  shown('sandbox clock start'),
  shown('sandbox clock set', IN_THREE_HOURS),
  shown('sandbox clock speed', '2'),
  shown('sandbox replay', 'xrp_eth {candles}'),
];

/** Lists with rows and without: their CSV has the same header. Bills have one more form, and so fields of both. */
export const LISTS: readonly string[] = [
  'markets',
  'markets --base usdt',
  'ticker',
  'ticker --quote btc',
  'depth btc_usdt',
  'trades btc_usdt',
  'trades btc_usdt --since 99999999999',
  'kline btc_usdt',
  'orders btc_usdt --state all',
  'orders eth_usdt',
  'account',
  'balance',
  'balance --in btc',
  'deposits btc',
  'deposits usdt --all',
  'withdrawals usdt',
  'withdrawals usdt --all',
  'address usdt',
  'fees',
  'profile list',
  'sandbox account list',
  'sandbox account show',
  'sandbox fault list',
];

/** Files that the lines name. */
export const FILES: Readonly<Record<string, string>> = {
  keys: 'an-access-key-0001\na-secret-key-0002\n',
  candles: '1700000040000,0.01,0.02,0.01,0.015,12\n1700000100000,0.015,0.02,0.01,0.012,7\n',
  'state.ndjson': '',
  'ledger.csv': '',
};

/** Commands without a golden file, and why. */
export const SILENT: Readonly<Record<string, string>> = {
  watch: 'it draws on a terminal only, and prints nothing',
  schema: 'its documents are the schemas, which are held against those of the last release',
  shell: 'it prints what its commands print',
  'algo run': 'it prints a line for each event while it watches, and ends when nothing is left to do',
  mcp: 'it speaks the protocol of its client, which test/commands/mcp holds byte by byte',
};
