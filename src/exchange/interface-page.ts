import { channels, PROTOCOL as stream } from './channels/index.js';
import { observedCodes, SUCCESS } from './observed-codes.js';
import { operations } from './operations/index.js';
import type { Operation } from './operations/operation.js';

/** What the descriptions of an operation do not hold: what it is for, in a sentence, and what the interface does not show. */
interface Remarks {
  readonly about: string;
  readonly notShown?: string;
}

type OperationName = keyof typeof operations;
type Schema = Operation['result'];

const REMARKS: Readonly<Record<OperationName, Remarks>> = {
  markets: { about: 'The rules of every market: decimals, and the smallest order in base and in quote coin.' },
  allTicker: { about: 'The ticker of every market.', notShown: 'how a market is named in the keys' },
  ticker: { about: 'Prices and volume of a market in the last 24 hours.' },
  depth: {
    about: 'The order book. Merged, it has 5 levels a side.',
    notShown: 'the default of `size`, the order of the levels, and the unit of `timestamp`',
  },
  trades: {
    about: 'Recent trades; with `since`, the 50 after that trade.',
    notShown: 'how many come without `since`, their order, and the unit of `date`',
  },
  kline: {
    about: 'Candles: time in milliseconds, open, high, low, close, volume. At most the latest 1,000.',
    notShown: 'the default of `type`, and how to reach older candles',
  },
  getAccountInfo: {
    about: 'The account, the permissions of the key, and every coin with its balance.',
    notShown: 'what the values of `fundstype` mean, and which operation needs which permission',
  },
  getSpotBills: {
    about: 'Changes of the spot balance. `dataType` is 0 for the last 48 hours, and 1 for what is older.',
    notShown: 'the time zone of the dates, and the default of `dataType`',
  },
  getUserAddress: {
    about: 'A deposit address, which was obtained in the app or on the website before.',
    notShown: 'the answer if there is none',
  },
  getPayinAddress: {
    about: 'The deposit addresses of a coin on all its chains.',
    notShown: 'the answer if there is none',
  },
  getWithdrawAddress: {
    about: 'The verified withdrawal address of a coin.',
    notShown: 'the answer if there are several',
  },
  getWithdrawRecord: {
    about: 'Withdrawals of a coin, in pages.',
    notShown: 'the largest page, and the order of records',
  },
  getChargeRecord: {
    about: 'Deposits of a coin, in pages.',
    notShown: 'the largest page, the order of records, and the time zone of `submit_time`',
  },
  getFeeInfo: { about: 'Withdrawal fees by chain.', notShown: 'whether it can be called without a coin' },
  withdraw: {
    about: 'Withdraws to a verified address; on a chain with memos, to `<account>_<remark>`.',
    notShown: 'whether the fee is part of the amount, and which chain is used',
  },
  order: {
    about: 'Places an order. `orderType` 1 is PostOnly, 2 is IOC, and anything else is a limit order.',
    notShown: 'what the answer means for an order that cannot be filled or posted',
  },
  orderMoreV2: {
    about: 'Places up to 20 orders of one side.',
    notShown: 'the answer if some of them fail, and how to give client ids',
  },
  cancelOrder: {
    about: 'Cancels an order by one of its two ids. The numbers in the answer exist since 2022-03-17.',
    notShown: 'from which states it is accepted, and the answer for an order that is done',
  },
  cancelAllOrdersAfter: {
    about: 'Cancels the orders of a market a minute after the call; a further call restarts the minute.',
    notShown: 'how to stop the timer, and whether later orders are cancelled too',
  },
  getOrder: {
    about: 'An order by one of its two ids, without an envelope. With a client id that was used twice, the newest.',
    notShown: 'the answer for an order that does not exist',
  },
  getOrders: {
    about: 'Orders of a market, 10 in an answer.',
    notShown:
      'the body, which parameters are required, and the order of the records; pit reads a plain list, newest first (observed)',
  },
};

/** The states by the object that has them. */
const STATES: readonly (readonly [object: string, field: string, states: Readonly<Record<string, string>>])[] = [
  [
    'order',
    '`status`',
    {
      0: 'open',
      1: 'cancelled',
      2: 'filled, or cancelled after a partial fill',
      3: 'open, or the rest of it is',
    },
  ],
  [
    'order',
    '`type`',
    { 0: 'limit sell', 1: 'limit buy', 2: 'PostOnly sell', 3: 'PostOnly buy', 4: 'IOC sell', 5: 'IOC buy' },
  ],
  ['withdrawal', '`status`', { 0: 'submitted', 1: 'failed', 2: 'success', 3: 'cancelled', 5: 'confirmed' }],
  ['deposit', '`status`', { 0: 'waiting for confirmations', 1: 'failed', 2: 'success' }],
];

const LIMITS: readonly (readonly [scope: string, limit: string])[] = [
  ['The trade host, per IP address', '10,000 requests a minute; beyond that the address is locked for an hour'],
  ['The trade host, per key', '60 requests a second; further ones in that second are invalid'],
  ['`kline`', 'One request a second, 1,000 rows'],
  ['`depth`', '50 levels; 5 if merged'],
  ['`trades` with `since`', '50 trades'],
  ['`orderMoreV2`', '20 orders'],
  ['`customerOrderId`', '4 to 36 letters or digits'],
  ['`getSpotBills`', '10 to 50 bills a page'],
  ['`getOrders`', '10 orders a page'],
  ['The smallest order', '`minAmount` in the base coin and `minSize` in the quote coin, by market'],
];

const HEAD = `# The interface

<!-- Generated by \`npm run generate\` from the descriptions in src/exchange. Do not edit. -->

The API of an exchange as pit understands it. The document that defines it is not part of this repository; comments in the code quote
it. *Observed* marks what exchanges were seen to do although the document does not say so.

- Every operation is an HTTP GET with its parameters in the query string. The answer is JSON.
- There are two deployments, a domestic and an overseas one. Each has a market-data host and a trade host.
- Market data is under \`/data/v1/\` of the market-data host, over https, and needs no key. The rest is under \`/api/\` of the trade
  host. The User-Agent has to look like a desktop browser's.
- A market is written \`btc_usdt\`. The coins bchabc, bchsv, hsr and nxwc are called bch, bsv, hc and xwc since 2021-07-16.

## Signing

A signed request carries \`method\` (the name of the operation), \`accesskey\`, \`reqTime\` (milliseconds since the Unix epoch) and
\`sign\`.

1. The key is the SHA-1 of the secret key, as 40 lower-case hexadecimal digits.
2. The text is every parameter but \`sign\` and \`reqTime\`, sorted by name, as \`name=value\` joined with \`&\`. Values are not
   percent-encoded.
3. \`sign\` is the HMAC-MD5 of the text with that key, as 32 lower-case hexadecimal digits.

Not shown: how far \`reqTime\` may be from the time of the exchange.
`;

/** docs/interface.md: every operation and channel as it is described, and what the interface does not show. */
export function interfacePage(): string {
  const ofAccess = (access: string) => (name: OperationName) => operations[name].access === access;
  const names = Object.keys(operations) as OperationName[];
  return `${[
    HEAD,
    '## Market data\n',
    ...names.filter(ofAccess('public')).map(operationSection),
    '## Account, funds and orders\n',
    ...names.filter((name) => operations[name].access !== 'public').map(operationSection),
    '### Only named\n\n`setExpressState` and `setRepayState` exist since 2022-03-01. Not shown: path, parameters and answer.\n',
    statesSection(),
    codesSection(),
    '## Limits\n',
    table(['what', 'limit'], LIMITS),
    '\nNot shown: limits of the market data other than `kline`.\n',
    channelsSection(),
  ].join('\n')}`;
}

function operationSection(name: OperationName): string {
  const { access, effect, parameters, result }: Operation = operations[name];
  const { about, notShown } = REMARKS[name];
  const path = access === 'public' ? `/data/v1/${name}` : `/api/${name}`;
  const who = { public: 'no key', keyless: 'no key, on the trade host', signed: 'signed' }[access];
  const does = {
    read: 'changes nothing',
    refresh: 'may be repeated without harm',
    write: 'pit sends it once',
  }[effect];
  const rows = Object.entries(parameters).map(([parameter, { kind, required, group }]) => [
    `\`${parameter}\``,
    required ? 'yes' : group === undefined ? 'no' : 'one of these',
    ruleOf(kind.problem),
  ]);
  const answer = fieldsOf(result, '').map(([field, kind]) => [field === '' ? 'the body' : `\`${field}\``, kind]);
  return [
    `### \`${name}\`\n`,
    `${about}\n`,
    `\`${path}\`: ${who}, ${does}.\n`,
    ...(rows.length === 0 ? [] : [table(['parameter', 'required', 'rule'], rows), '']),
    table(['answer', 'kind'], answer),
    ...(notShown === undefined ? [] : [`\nNot shown: ${notShown}.`]),
    '',
  ].join('\n');
}

/** The rule of a parameter in words: that which a control character breaks. */
function ruleOf(problem: (text: string) => string | undefined): string {
  return problem('\u0000') ?? 'any value';
}

interface Described {
  readonly type: string;
  readonly entries?: Readonly<Record<string, Schema>>;
  readonly item?: Schema;
  readonly items?: readonly Schema[];
  readonly value?: Schema;
  readonly wrapped?: Schema;
  readonly options?: readonly string[];
  readonly pipe?: readonly (Schema & { readonly kind: string })[];
}

/** The fields of an answer by their paths, with the kind of each. */
function fieldsOf(schema: Schema, path: string): (readonly [string, string])[] {
  const described = schema as unknown as Described;
  const { type, entries, item, items, value, wrapped, options, pipe } = described;
  const inner = pipe?.filter(({ kind }) => kind === 'schema').at(-1);
  // a pipe holds the schema itself first
  if (inner !== undefined && inner.type !== 'unknown' && pipe?.[0] !== inner) return fieldsOf(inner, path);
  const within = (name: string) => (path === '' ? name : `${path}.${name}`);
  if (entries !== undefined) return Object.entries(entries).flatMap(([name, one]) => fieldsOf(one, within(name)));
  if (item !== undefined) return fieldsOf(item, `${path}[]`);
  if (items !== undefined) return items.flatMap((one, index) => fieldsOf(one, `${path}[${index}]`));
  if (value !== undefined) return fieldsOf(value, within('*'));
  // of an object or a list, only the whole may be missing
  if (wrapped !== undefined)
    return fieldsOf(wrapped, path).map(([field, kind]) => [field, field === path ? `${kind}, or missing` : kind]);
  if (options !== undefined) return [[path, options.join(' or ')]];
  return [[path, type === 'unknown' ? kindOf(schema) : type]];
}

/** What a field expects, in the words of its own error. */
function kindOf(schema: Schema): string {
  const { issues } = schema['~run']({ value: undefined }, {});
  return /^expected (.*), got/.exec(issues?.[0]?.message ?? '')?.[1] ?? 'any value';
}

function statesSection(): string {
  const rows = STATES.flatMap(([object, field, states]) =>
    Object.entries(states).map(([code, meaning]) => [object, field, code, meaning]),
  );
  return `## States\n\n${table(['of', 'field', 'code', 'meaning'], rows)}\n\nNot shown: which states follow which.\n`;
}

function codesSection(): string {
  const rows = Object.entries(observedCodes).map(([code, kind]) => [code, kind]);
  return [
    '## Codes\n',
    `\`code\` is ${SUCCESS} in every answer that succeeded: a text in those of \`order\` and \`orderMoreV2\`, a number elsewhere. No other code is`,
    'shown, nor the HTTP status of a failure. These were observed; pit never takes one of them alone as the outcome of an order.\n',
    table(['code', 'pit takes it as'], rows),
    '',
  ].join('\n');
}

function channelsSection(): string {
  const rows = Object.values(channels).map(({ template, signed, parameters, sources, frame }) => [
    `\`${template}\``,
    signed ? 'yes' : 'no',
    Object.keys(parameters)
      .map((name) => `\`${name}\``)
      .join(', '),
    fieldsOf(frame, '')
      .map(([field]) => `\`${field === '' ? 'the frame' : field}\``)
      .join(' '),
    `name ${sourceOf(sources.name)}; parameters ${sourceOf(sources.parameters)}; frame ${sourceOf(sources.frame)}`,
  ]);
  return [
    '## Channels\n',
    'The document names four channels of the WebSocket and shows nothing else of it: no address, no message, no payload. Everything else',
    `here was observed, or is a choice. An address ends with \`${stream.path}\`; \`${stream.subscribe}\` subscribes and`,
    `\`${stream.unsubscribe}\` ends it; \`${stream.ping}\` is answered with \`${stream.pong}\`.\n`,
    table(['channel', 'signed', 'parameters', 'fields of a frame', 'known from'], rows),
    '',
  ].join('\n');
}

type Source = 'document' | 'choice' | { readonly clients: number };

function sourceOf(source: Source): string {
  if (source === 'document') return 'from the document';
  return source === 'choice' ? 'chosen' : `seen in ${source.clients} client${source.clients === 1 ? '' : 's'}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}
