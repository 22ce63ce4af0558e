import { type CompletionSource, withCompletion } from '../../cli/definition.js';
import { nearest } from '../../config/nearest.js';
import { CANDLE_TYPES } from '../../domain/candle.js';
import { parseMarket } from '../../domain/market.js';
import { Failure, quoted, usage } from '../../errors.js';
import type { Channel } from '../../exchange/exchange.js';
import { marketName } from '../inputs.js';
import { parseCandleType } from '../kline.js';

/** How each kind of channel is written. */
const FORMS = {
  ticker: 'ticker:btc_usdt',
  depth: 'depth:btc_usdt',
  trades: 'trades:btc_usdt',
  kline: 'kline:btc_usdt:1min',
  orders: 'orders or orders:btc_usdt',
  balances: 'balances',
  'cross-balances': 'cross-balances',
} as const;

type Kind = keyof typeof FORMS;

const KINDS = Object.keys(FORMS) as readonly Kind[];

const COMPLETED = {
  of: 'channel',
  starts: KINDS.flatMap((kind) =>
    kind === 'orders' ? [kind, `${kind}:`] : FORMS[kind].includes(':') ? `${kind}:` : kind,
  ),
  candleTypes: CANDLE_TYPES,
} as const satisfies CompletionSource;

/** Reads a channel such as `depth:btc_usdt`. Throws Failure `usage` that names it, the rule and the nearest names. */
export const channelName = withCompletion(COMPLETED, (word): Channel => {
  const [first = '', ...parts] = word.split(':');
  const kind = KINDS.find((one) => one === first.toLowerCase());
  if (kind === undefined) throw unknownKind(word, first);
  const [market, type] = parts;
  if (kind === 'balances' || kind === 'cross-balances') {
    if (market !== undefined) throw wrong(word, `has a market, but ${kind} covers all coins`, kind);
    return { kind: kind === 'balances' ? kind : 'crossBalances' };
  }
  if (parts.length > (kind === 'kline' ? 2 : 1)) throw wrong(word, 'has too many parts', FORMS[kind]);
  if (kind === 'orders' && market === undefined) return { kind };
  if (market === undefined || market === '') throw wrong(word, 'names no market', FORMS[kind]);
  const name = within(word, () => marketName(market));
  if (kind !== 'kline') return { kind, market: name };
  if (type === undefined || type === '')
    throw wrong(word, 'names no candle type', `kline:${name}:1min; types: ${CANDLE_TYPES.join(', ')}`);
  return { kind, market: name, type: within(word, () => parseCandleType('The candle type', type)) };
});

function wrong(word: string, what: string, form: string): Failure {
  return usage(`The channel ${quoted(word)} ${what}.`, `Write ${form}.`);
}

function unknownKind(word: string, first: string): Failure {
  const near = nearest(first.toLowerCase(), KINDS);
  const isMarket = near.length === 0 && parseMarket(word) !== undefined;
  const guess = isMarket
    ? ` It is a market; write what you want of it: ticker:${word} or depth:${word}.`
    : near.length === 0
      ? ''
      : ` Did you mean ${near.map((kind) => FORMS[kind as Kind]).join(', or ')}?`;
  return usage(`There is no channel ${quoted(word)}.${guess}`, `Channels: ${Object.values(FORMS).join(', ')}.`);
}

/** Reads a part of a channel; its failure names the channel. */
function within<Value>(word: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw usage(`The channel ${quoted(word)} cannot be read: ${error.message}`, error.hints);
  }
}
