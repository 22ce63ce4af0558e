import { isLosslessNumber, parse, stringify } from 'lossless-json';
import { commands } from '../../src/commands/index.js';
import type { OperationName } from '../../src/exchange/operations/index.js';
import { distinct, fieldsOf, isData, isTree } from './answer-fields.js';
import type { OwnValue, Shown } from './example.js';
import { EXAMPLES, NAMES } from './index.js';

/*
 * Answers in which every field of the interface has a value of its own. Where there are too few values, as for a yes or no, the values of
 * several runs together are those of one field alone.
 */

export const RUNS = 4;

export interface Read {
  /** The operation whose answer it shows. */
  readonly operation: OperationName;
  readonly command: string;
  readonly words: string;
  /** Default: all. */
  readonly runs?: readonly number[];
}

/** In a market that no other example has. */
function elsewhere(words: string): string {
  const names = { btc: 'zec', usdt: 'eur', BTC: 'ZEC', USDT: 'EUR' };
  return words.replace(/btc|usdt|BTC|USDT/g, (coin) => names[coin as keyof typeof names]);
}

const STREAMS: readonly Read[] = [
  { operation: 'ticker', command: 'stream', words: 'ticker:zec_eur --count 1' },
  { operation: 'depth', command: 'stream', words: 'depth:zec_eur --count 1' },
  { operation: 'trades', command: 'stream', words: 'trades:zec_eur --count 1' },
  { operation: 'kline', command: 'stream', words: 'kline:zec_eur:1min --count 1' },
  { operation: 'getAccountInfo', command: 'stream', words: 'balances --count 1' },
  // a stream shows open orders
  { operation: 'getOrders', command: 'stream', words: 'orders:zec_eur --count 1', runs: [0, 3] },
];

/** The command lines that show them, each in all runs or in some. */
export const READS: readonly Read[] = [
  ...NAMES.flatMap((operation) =>
    EXAMPLES[operation].lines.map((line) => {
      const [first = '', second = ''] = line.split(' ');
      const command = Object.hasOwn(commands, `${first} ${second}`) ? `${first} ${second}` : first;
      return { operation, command, words: elsewhere(line.slice(command.length + 1)) };
    }),
  ),
  ...STREAMS,
];

const CODE = 'error.code if it is not 1000; with 1000 the answer itself';
const MESSAGE = "error.message if it is refused; with 1000 it has the exchange's word for success";
const HOLDER = 'holds the other fields';
const PAGE = 'pit counts the pages itself';
const COUNT = 'a note, 10 of 37, and a warning if --all lists fewer';

/** Fields of answers that no field of the output carries: why, and where else they are. They are sent as the examples have them. */
export const NOWHERE: Readonly<Record<string, string>> = {
  code: CODE,
  message: MESSAGE,
  des: MESSAGE,
  isSuc: 'false is a refusal, exit code 3',
  'cancelOrder.isSuc': 'false is a refusal, exit code 3, unless the order itself is closed',
  datas: HOLDER,
  result: HOLDER,
  list: HOLDER,
  coins: HOLDER,
  base: HOLDER,
  ticker: HOLDER,
  pageIndex: PAGE,
  pageSize: 'how many records a full page has',
  totalCount: COUNT,
  totalPage: 'a note, page 1 of 4',
  total: COUNT,
  'getPayinAddress.isUseMemo': 'address and memo are account and memo if it is true, else address is address',
  'kline.moneyType': 'a warning if it is not the quote coin of the market; pit api kline prints it',
  'kline.symbol': 'a warning if it is not the base coin of the market; pit api kline prints it',
};

/** The values of each operation's fields, by their names. */
export const FIELDS = Object.fromEntries(
  NAMES.map((operation, turn) => [operation, ownValues(operation, 100 + 40 * turn)]),
) as Readonly<Record<OperationName, Readonly<Record<string, OwnValue>>>>;

/** The values that an example gives, and one of the same form for each other field. */
function ownValues(operation: OperationName, first: number): Readonly<Record<string, OwnValue>> {
  const { answer, own = {} } = EXAMPLES[operation];
  let flags = 0;
  const values = fieldsOf(parse(answer)).flatMap(({ at, value }, index): [string, OwnValue][] => {
    const name = at.at(-1) ?? '';
    if (isData(name)) return [['*', own['*'] ?? { sent: JSON.stringify(elsewhere(name)) }]];
    if (own[name] !== undefined) return [[name, own[name]]];
    if (isTree(value) || Array.isArray(value) || name in NOWHERE || `${operation}.${name}` in NOWHERE) return [];
    return [
      [name, typeof value === 'boolean' ? ownFlag(flags++) : ownValue(`${operation}-${name}`, value, first + index)],
    ];
  });
  return Object.fromEntries(values);
}

/** A yes or no whose values in the runs no other of the operation has, yes in the first run if possible. */
function ownFlag(turn: number): OwnValue {
  const code = turn < 7 ? 8 + turn : turn - 6;
  return { sent: Array.from({ length: RUNS }, (_, run) => ((code >> (RUNS - 1 - run)) & 1 ? 'true' : 'false')) };
}

function ownValue(name: string, value: unknown, turn: number): OwnValue {
  const text = String(value);
  const quote = isLosslessNumber(value) ? '' : '"';
  if (/^16484\d{5}(\d{3})?$/.test(text)) {
    const time = 1_648_461_000_000 + turn * 1000;
    return { sent: `${quote}${time}${quote}`, shown: new Date(time).toISOString() };
  }
  // the first digits of an id are those of the example
  if (/^\d{9,}$/.test(text)) return { sent: `${quote}${text.slice(0, -3)}${turn}${quote}` };
  if (/^\d+$/.test(text) && quote === '') return { sent: String(turn) };
  return { sent: /^-?\d+(\.\d+)?$/.test(text) ? `${quote}${turn}.5${quote}` : JSON.stringify(name) };
}

/** What a field sends in a run, as JSON. */
export function sentIn(run: number, operation: OperationName, field: string): string {
  const { sent } = fieldOf(operation, field);
  return typeof sent === 'string' ? sent : (sent[run] ?? '');
}

/** Whether a field of the output called `leaf` shows in a run what a field of the answer has sent. */
export function isShownIn(run: number, operation: OperationName, field: string, leaf: string, value: unknown): boolean {
  const { shown } = fieldOf(operation, field);
  const named = isByName(shown) ? shown.by[leaf] : shown;
  if (named === undefined) return isSame(value, sentIn(run, operation, field));
  // a list of values has one for each run; depth is a list in each
  const expected: unknown = Array.isArray(named) && named.length === RUNS ? named[run] : named;
  return JSON.stringify(value) === JSON.stringify(expected);
}

/** A number is shown as a text, a count as a number. */
function isSame(value: unknown, sent: string): boolean {
  if (/^[-\d]/.test(sent)) return String(value) === sent && typeof value !== 'object';
  return JSON.stringify(value) === JSON.stringify(JSON.parse(sent));
}

function isByName(shown: OwnValue['shown']): shown is { readonly by: Readonly<Record<string, Shown>> } {
  return typeof shown === 'object' && shown !== null && 'by' in shown;
}

function fieldOf(operation: OperationName, field: string): OwnValue {
  const found = FIELDS[operation][field];
  if (found === undefined) throw new Error(`${operation}.${field} has no value`);
  return found;
}

/** The bodies of all answers in a run. */
export function answersIn(run: number): Record<OperationName, string | ((given: URLSearchParams) => string)> {
  const bodies = Object.fromEntries(
    NAMES.map((name) => [name, stringify(filled(parse(EXAMPLES[name].answer), name, run)) ?? '']),
  ) as Record<OperationName, string>;
  const { getOrder, getOrders } = bodies;
  return {
    ...bodies,
    getOrder: (given) => getOrder.replace(/"id":"\d+"/, (id) => `"id":"${given.get('id') ?? id.slice(6, -1)}"`),
    getOrders: (given) =>
      Number(sentIn(run, 'getOrders', 'type')) % 2 === Number(given.get('tradeType')) && given.get('pageIndex') === '1'
        ? getOrders
        : '[]',
  };
}

/** An answer with the values of a run: of entries and names that are alike only the first. */
function filled(value: unknown, operation: OperationName, run: number): unknown {
  if (Array.isArray(value)) return distinct(value).map((one) => filled(one, operation, run));
  if (!isTree(value)) return value;
  const names = Object.keys(value);
  const kept = names.filter((name) => !isData(name) || name === names.find(isData));
  return Object.fromEntries(
    kept.map((name) => {
      if (isData(name)) return [JSON.parse(sentIn(run, operation, '*')), filled(value[name], operation, run)];
      const isOwn = FIELDS[operation][name] !== undefined;
      return [name, isOwn ? parse(sentIn(run, operation, name)) : filled(value[name], operation, run)];
    }),
  );
}
