/** A line that is run first. */
interface Step {
  readonly line: string;
  /** What later lines take from its document, for `{name}`. */
  readonly learns?: (document: unknown) => Readonly<Record<string, string>>;
}

/**
 * A command line that shows what the JSON of a command is like, in an account of its own. A command without a line here is shown by the
 * first of its examples.
 */
export interface Line {
  readonly words: string;
  readonly line: string;
  /** What has happened in the account, in this order. */
  readonly after?: readonly Step[];
  /**
   * In a world with simulated traders, or on the machine's clock: with a sandbox that is served there, or in a home without one.
   * Default: in a world whose markets stand still.
   */
  readonly place?: 'traded' | 'served' | 'elsewhere';
  /** The name of its golden document, if the command has another one, too. */
  readonly golden?: string;
}

const idOf = (name: string) => (document: unknown) => ({ [name]: (document as { readonly id: string }).id });

const ORDER: Step = { line: 'order buy btc_usdt 0.01 --at bid-5% --id golden1', learns: idOf('order') };
const FILLED: Step = { line: 'order buy btc_usdt 0.01 --at ask+1% --id golden2' };
const STOP: Step = { line: 'order sell btc_usdt 0.01 --stop bid-20%', learns: idOf('algo') };
const PAUSED: Step = { line: 'algo pause {algo}' };
const DEPOSIT: Step = { line: 'sandbox deposit usdt 100' };
/** Time for the deposit to arrive. */
const LATER: Step = { line: 'sandbox clock advance 5m' };
const ADDRESS: Step = {
  line: 'address btc --withdraw',
  learns: (document) => ({ btc: (document as { readonly address: string }[])[0]?.address ?? '' }),
};
const PROFILE: Step = {
  line: 'profile add overseas --base-url https://api.example.com --trade-url https://trade.example.com',
};
const ZONE: Step = { line: 'profile set overseas zone +08:00' };
const KEYS: Step = { line: 'keys set --profile overseas --file {keys}' };
const ALICE: Step = { line: 'sandbox account add alice --permissions asset' };
const FAULT: Step = { line: 'sandbox fault add delay --delay 1 --operation getAccountInfo' };
const EXPORT: Step = { line: 'sandbox export {state.ndjson}' };
const INSTALLED: Step = { line: 'completion install bash' };
/** Documents that need trades and candles. */
const TRADED: Partial<Line> = { place: 'traded' };

function shown(words: string, rest = '', after: readonly Step[] = [], more: Partial<Line> = {}): Line {
  return { words, line: `${words}${rest === '' ? '' : ` ${rest}`}`, after, ...more };
}

export const LINES: readonly Line[] = [
  shown('ticker', 'btc_usdt', [], TRADED),
  shown('depth', 'btc_usdt --size 2', [], TRADED),
  shown('trades', 'btc_usdt', [], TRADED),
  shown('kline', 'btc_usdt --size 2', [], TRADED),
  shown('stream', 'ticker:btc_usdt --count 1', [], TRADED),
  shown('alert', 'btc_usdt last>1', [], TRADED),
  shown('order', 'buy btc_usdt 0.01 --at bid-5% --id golden1'),
  shown('order batch', 'buy eth_usdt --ladder bid-1%:bid-5%:3 --amount 0.3'),
  shown('order show', 'btc_usdt {order}', [ORDER]),
  shown('orders', 'btc_usdt', [ORDER]),
  shown('order replace', 'btc_usdt {order} --at bid-6%', [ORDER]),
  shown('resolve', 'golden1', [ORDER]),
  shown('commit'),
  shown('cancel', 'btc_usdt {order} 17', [ORDER]),
  shown('cancel-after', 'btc_usdt'),
  shown('halt', '--reason golden --for 1h'),
  shown('algo list', '', [STOP]),
  shown('algo show', '{algo}', [STOP]),
  shown('algo pause', '{algo}', [STOP]),
  shown('algo resume', '{algo}', [STOP, PAUSED]),
  shown('algo cancel', '{algo}', [STOP]),
  shown('algo service', 'systemd'),
  shown('account'),
  shown('balance', 'btc usdt --in usdt'),
  shown('sandbox deposit', 'usdt 100'),
  shown('sandbox clock advance', '1m'),
  shown('bills', 'usdt', [DEPOSIT, LATER]),
  shown('address', 'usdt'),
  // bills show the time zone of its date
  shown('deposits', 'usdt', [DEPOSIT, LATER, { line: 'bills usdt' }]),
  shown('withdrawals', 'usdt'),
  // its dry run: the fund password would be asked for
  shown('withdraw', 'btc 0.01 --to {btc} --dry-run', [ADDRESS]),
  shown('fees', 'usdt'),
  shown('fills', 'btc_usdt', [FILLED]),
  shown('pnl', 'btc_usdt', [FILLED]),
  shown('pnl', 'btc_usdt --by coin --in usdt', [FILLED], { golden: 'pnl-by-coin' }),
  shown('pnl', 'btc_usdt --by coin --in btc --lots', [FILLED], { golden: 'pnl-by-coin-lots' }),
  shown('ledger', '--format csv --out {ledger.csv}', [FILLED]),
  shown('rehearse', 'sandbox --to 2023-03-01T02:00 -- order sell btc_usdt 0.5 --trail 1%', [], { place: 'elsewhere' }),
  shown('api', 'markets'),
  shown('mcp config', 'claude'),
  shown('doctor'),
  shown('completion install', 'bash'),
  shown('completion uninstall', 'bash', [INSTALLED]),
  shown('profile list'),
  shown('profile add', PROFILE.line.replace('profile add ', '')),
  shown('profile use', 'sandbox'),
  shown('profile set', 'overseas zone +08:00', [PROFILE]),
  shown('profile show', 'overseas', [PROFILE, ZONE]),
  shown('profile unset', 'overseas zone', [PROFILE, ZONE]),
  shown('keys set', '--profile overseas --file {keys}', [PROFILE]),
  shown('keys show', '--profile overseas', [PROFILE, KEYS]),
  shown('keys remove', '--profile overseas', [PROFILE, KEYS]),
  shown('profile remove', 'overseas', [PROFILE]),
  shown('sandbox serve', '--port 0', [], { place: 'elsewhere' }),
  shown('sandbox start', '', [], { place: 'served' }),
  shown('sandbox status', '', [], { place: 'served' }),
  shown('sandbox stop', '', [], { place: 'elsewhere' }),
  shown('sandbox reset', '', [], { place: 'elsewhere' }),
  shown('sandbox account add', 'alice --permissions asset'),
  shown('sandbox account list', '', [ALICE]),
  shown('sandbox account show'),
  shown('sandbox transfer', 'usdt 5 --to alice', [ALICE]),
  shown('sandbox price', 'btc_usdt 25000', [], TRADED),
  shown('sandbox fault add', 'delay --delay 1 --operation getAccountInfo'),
  shown('sandbox fault list', '', [FAULT]),
  shown('sandbox fault log', '', [FAULT, { line: 'account' }]),
  shown('sandbox fault clear', '', [FAULT]),
  shown('sandbox export', '{state.ndjson}'),
  shown('sandbox import', '{state.ndjson}', [EXPORT, ORDER], TRADED),
  shown('sandbox clock stop'),
  shown('sandbox clock start'),
  shown('sandbox clock set', '2026-01-05T12:05'),
  shown('sandbox clock speed', '2'),
  shown('sandbox replay', 'xrp_eth {candles}', [ORDER]),
];

/** Lists beside the first examples of their commands, with rows and without: their CSV has the same header. */
export const OTHER_LISTS: readonly string[] = [
  'markets --base usdt',
  'ticker --quote btc',
  'depth btc_usdt',
  'trades btc_usdt',
  'trades btc_usdt --since 99999999999',
  'kline btc_usdt',
  'orders btc_usdt --state all',
  'orders eth_usdt',
  'account',
  'balance --in btc',
  'deposits btc',
  'deposits usdt --all',
  'withdrawals usdt --all',
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
