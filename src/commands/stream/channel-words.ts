import { type CompletionSource, withCompletion } from '../../cli/definition.js';
import { nearest } from '../../config/nearest.js';
import { CANDLE_TYPES } from '../../domain/candle.js';
import { parseMarket } from '../../domain/market.js';
import { Failure, quoted, usage } from '../../errors.js';
import { type ChannelPart, FOLLOWED, followed } from '../../exchange/description.js';
import type { Channel, ChannelKind } from '../../exchange/exchange.js';
import { marketName, parseCandleType } from '../inputs/parsers.js';

const KINDS = Object.keys(FOLLOWED) as readonly ChannelKind[];

const WORDS = KINDS.map((kind) => FOLLOWED[kind].word);

/** An example of each part of a channel. */
const EXAMPLES: Readonly<Record<ChannelPart, string>> = { market: 'btc_usdt', 'market?': 'btc_usdt', type: '1min' };

/** How a kind of channel is written: `kline:btc_usdt:1min`. */
function formOf(kind: ChannelKind): string {
  const { word, parts } = followed(kind);
  const whole = [word, ...parts.map((part) => EXAMPLES[part])].join(':');
  return parts.includes('market?') ? `${word} or ${whole}` : whole;
}

/** The channels for the help: `kline:M:TYPE`, `orders[:M]`. */
export const CHANNEL_FORMS = KINDS.map((kind) => {
  const { word, parts } = followed(kind);
  return word + parts.map((part) => ({ market: ':M', 'market?': '[:M]', type: ':TYPE' })[part]).join('');
}).join(', ');

const COMPLETED = {
  of: 'channel',
  starts: KINDS.flatMap((kind) => {
    const { word, parts } = followed(kind);
    if (parts.length === 0) return word;
    return parts.includes('market?') ? [word, `${word}:`] : `${word}:`;
  }),
  candleTypes: CANDLE_TYPES,
} as const satisfies CompletionSource;

/** Reads a channel such as `depth:btc_usdt`. Throws Failure `usage` that names it, the rule and the nearest names. */
export const channelName = withCompletion(COMPLETED, (word): Channel => {
  const [first = '', ...given] = word.split(':');
  const kind = KINDS.find((one) => FOLLOWED[one].word === first.toLowerCase());
  if (kind === undefined) throw unknownKind(word, first);
  const { parts } = followed(kind);
  const [market, type] = given;
  if (parts.length === 0 && market !== undefined)
    throw wrong(word, `has a market, but ${FOLLOWED[kind].word} covers all coins`, formOf(kind));
  if (given.length > parts.length) throw wrong(word, 'has too many parts', formOf(kind));
  if (market === undefined && !parts.includes('market')) return { kind } as Channel;
  if (market === undefined || market === '') throw wrong(word, 'names no market', formOf(kind));
  const name = within(word, () => marketName(market));
  if (!parts.includes('type')) return { kind, market: name } as Channel;
  if (type === undefined || type === '')
    throw wrong(word, 'names no candle type', `${first}:${name}:1min; types: ${CANDLE_TYPES.join(', ')}`);
  return { kind, market: name, type: within(word, () => parseCandleType('The candle type', type)) } as Channel;
});

function wrong(word: string, what: string, form: string): Failure {
  return usage(`The channel ${quoted(word)} ${what}.`, `Write ${form}.`);
}

function unknownKind(word: string, first: string): Failure {
  const near = nearest(first.toLowerCase(), WORDS);
  const formOfWord = (one: string) => KINDS.filter((kind) => FOLLOWED[kind].word === one).map(formOf);
  const isMarket = near.length === 0 && parseMarket(word) !== undefined;
  const guess = isMarket
    ? ` It is a market; write what you want of it: ticker:${word} or depth:${word}.`
    : near.length === 0
      ? ''
      : ` Did you mean ${near.flatMap(formOfWord).join(', or ')}?`;
  return usage(`There is no channel ${quoted(word)}.${guess}`, `Channels: ${KINDS.map(formOf).join(', ')}.`);
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
