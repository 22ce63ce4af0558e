/** The summaries of words that only group commands. */
export const groups: Readonly<Record<string, string>> = {
  algo: 'Run and manage algo orders, such as stops, brackets and TWAP',
  profile: 'Manage exchanges by name: their hosts and settings',
  keys: 'Manage the API keys of a profile',
  sandbox: 'Run and control the exchange in a box',
  'sandbox account': 'Manage sandbox accounts and their play keys',
  'sandbox clock': 'Stop, set or speed up the sandbox clock',
  'sandbox fault': 'Inject faults and see their real effects',
};

/** What people type for a command, and the words that were meant. */
export const synonyms: Readonly<Record<string, readonly string[]>> = {
  buy: ['order', 'buy'],
  sell: ['order', 'sell'],
  book: ['depth'],
  orderbook: ['depth'],
  candles: ['kline'],
  klines: ['kline'],
  price: ['ticker'],
  streams: ['stream'],
  follow: ['stream'],
  balances: ['balance'],
  'order cancel': ['cancel'],
  algos: ['algo', 'list'],
  'order list': ['orders'],
  'cancel-all': ['cancel', '--all'],
  show: ['order', 'show'],
  replace: ['order', 'replace'],
  batch: ['order', 'batch'],
  history: ['fills'],
  profit: ['pnl'],
  config: ['profile', 'show'],
  login: ['keys', 'set'],
  'keys add': ['keys', 'set'],
  status: ['doctor'],
  version: ['--version'],
};
