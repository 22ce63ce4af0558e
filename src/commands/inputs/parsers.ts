import { type CompletionSource, type Parser, withCompletion } from '../../cli/definition.js';
import { parseZone } from '../../config/settings.js';
import { CANDLE_TYPES, type CandleType } from '../../domain/candle.js';
import { COIN, RENAMED_COINS } from '../../domain/coin.js';
import { DECIMAL, Decimal, numberAdvice } from '../../domain/decimal.js';
import { choiceOf, wholeFrom } from '../../domain/kind.js';
import { parseMarket } from '../../domain/market.js';
import type { Moment } from '../../domain/moment.js';
import { CLIENT_ID, type OrderReference } from '../../domain/order.js';
import { momentBy, type WallClock } from '../../domain/zone.js';
import { quoted, usage } from '../../errors.js';

// These parse the words of a command line. Each throws Failure `usage` for a word that it cannot parse.

/** Any word; the command checks it. */
export function word(text: string): string {
  return text;
}

/** The name of an existing profile. */
export const profileName = withCompletion({ of: 'profile' }, word);

/** The name of a file. */
export const filePath = withCompletion({ of: 'file' }, (text) => {
  if (text !== '') return text;
  throw usage('The name of the file is empty.', 'Give a file, or - for a pipe.');
});

/** The words of another program's command line. */
export const programWord = withCompletion({ of: 'program' }, word);

/** Any word, completed with these; the command checks it. */
export function wordCompletedWith(...choices: readonly string[]) {
  return withCompletion({ of: 'words', words: choices }, word);
}

/** The prices that a shell offers. There are more, which the user types. */
export const PRICE_WORDS = {
  of: 'words',
  words: ['bid', 'ask', 'mid', 'bid+1tick', 'bid-1tick', 'ask+1tick', 'ask-1tick'],
} as const satisfies CompletionSource;

/** A market in any common form: `btc_usdt`, `BTC/USDT`, `btc-usdt`, `btcusdt`. */
export const marketName = withCompletion({ of: 'market' }, (word): string => {
  const name = parseMarket(word);
  if (name === undefined)
    throw usage(`${quoted(word)} is not a market name.`, 'Write it as BASE_QUOTE, such as btc_usdt.');
  const [base, quote] = [currentCoin(name.base), currentCoin(name.quote)];
  const renamed = `${base}_${quote}`;
  if (renamed === name.market) return name.market;
  const old = base === name.base ? name.quote : name.base;
  throw usage(
    `The coin ${old} was renamed in 2021 and its old name is not supported.`,
    `The market is now ${renamed}.`,
  );
});

/** A coin in any case. */
export const coinName = withCompletion({ of: 'coin' }, (word): string => {
  const coin = COIN.read(word);
  if (coin === undefined)
    throw usage(`${quoted(word)} is not a coin's name.`, 'Write it with letters and digits, such as btc.');
  const current = currentCoin(coin);
  if (current === coin) return coin;
  throw usage(`The coin ${coin} was renamed in 2021 and its old name is not supported.`, `The coin is now ${current}.`);
});

function currentCoin(coin: string): string {
  return Object.hasOwn(RENAMED_COINS, coin) ? (RENAMED_COINS[coin] ?? coin) : coin;
}

/** A whole number from `min` to `max`, both included. */
export function wholeNumber(name: string, min: number, max: number): Parser<number> {
  const { read, rule } = wholeFrom(BigInt(min), BigInt(max));
  return (word) => {
    const value = read(word);
    if (value !== undefined) return Number(value);
    throw usage(`${name} ${rule}, not ${quoted(word)}.`);
  };
}

/** A decimal number above zero, without a sign. It may have an exponent, or be grouped as pit shows it: `28,128.65`. */
export function positiveDecimal(name: string): Parser<string> {
  return (text) => {
    const value = DECIMAL.read(text);
    if (value !== undefined && Decimal.of(value).sign > 0) return value;
    const advice = numberAdvice(text);
    if (advice !== undefined) throw usage(`${name} cannot be read as a number: ${quoted(text)}.`, advice);
    throw usage(`${name} must be a number above zero, not ${quoted(text)}.`, 'Write it like 0.5, 31000 or 1e-05.');
  };
}

/** One of these words, in any case. */
export function oneOf<const Word extends string>(name: string, ...values: readonly Word[]): Parser<Word> {
  const { read, rule } = choiceOf(...values);
  return withCompletion({ of: 'words', words: values }, (word) => {
    const found = read(word);
    if (found !== undefined) return found;
    throw usage(`${name} ${rule}, not ${quoted(word)}.`);
  });
}

/** A type of candles as {@link CANDLE_TYPES} names it, or as people write it. Throws Failure `usage` for a word that is none. */
export function parseCandleType(name: string, word: string): CandleType {
  const [, count, unit = ''] = /^(\d{1,2})([mhdwHDW])$/.exec(word) ?? [];
  const whole = { m: 'min', h: 'hour', d: 'day', w: 'week' }[unit.toLowerCase()];
  return oneOf(name, ...CANDLE_TYPES)(whole === undefined ? word : `${count}${whole}`);
}

/** The same, of a flag `--type`. */
export const candleType = withCompletion({ of: 'words', words: CANDLE_TYPES }, (word) =>
  parseCandleType('--type', word),
);

/** An id from the exchange: more digits than a double can hold. */
export function idNumber(name: string): Parser<string> {
  return (word) => {
    if (/^\d{1,19}$/.test(word)) return BigInt(word).toString();
    if (/^\d+$/.test(word))
      throw usage(`${name} is too long for an id from the exchange: ${quoted(word)}.`, 'It has at most 19 digits.');
    throw usage(`${name} must be an id from the exchange, not ${quoted(word)}.`, 'Such an id has digits only.');
  };
}

/** The exchange's id of an existing order. */
export const orderId = withCompletion({ of: 'order' }, idNumber('The order id'));

/** An existing order: the exchange's id has digits only, so a word with letters is the id that a client gave it. */
export const orderReference = withCompletion(
  { of: 'order' },
  (word): OrderReference => (/[a-z]/i.test(word) ? { clientId: clientId(word) } : { id: orderId(word) }),
);

/** The id that a client gives its order. */
export function clientId(word: string): string {
  if (CLIENT_ID.isExact(word)) return word;
  const hasOthers = /[^A-Za-z0-9]/.test(word);
  const fault = hasOthers
    ? 'has other characters than letters and digits'
    : word.length < 4
      ? 'is too short'
      : 'is too long';
  throw usage(`The client order id ${quoted(word)} ${fault}.`, `It ${CLIENT_ID.rule}.`);
}

/** The client id of an existing order. */
export const knownClientId = withCompletion({ of: 'clientId' }, clientId);

/** The id of a prepared write. */
export const preparedId = withCompletion({ of: 'prepared' }, (word): string => {
  if (/^((pit|job)[0-9a-f]{20,24}|a[a-z0-9]{6})$/.test(word)) return word;
  throw usage(
    `${quoted(word)} is not the id of a prepared write.`,
    'It begins with pit, job or a, as prepare returned it.',
  );
});

/** The id of an algo order. */
export const algoId = withCompletion({ of: 'algo' }, (word): string => {
  if (/^a[a-z0-9]{6}$/.test(word)) return word;
  throw usage(
    `${quoted(word)} is not the id of an algo order.`,
    'It begins with a, such as a4k7x2q; pit algo list shows it.',
  );
});

/** The client id of a write with an unknown outcome. */
export const unresolvedId = withCompletion({ of: 'unresolved' }, clientId);

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d{1,3})?)?)?(Z|[+-]\d\d:?\d\d)?$/;

/**
 * ISO 8601 (without a zone: UTC), the Unix time in seconds or milliseconds, or an age such as `90s`, `2h` or `7d`. Seconds have
 * ten digits from 2001 to 2286, and milliseconds thirteen; with any other count of digits it would be another century.
 */
export const moment: Parser<Moment> = (word) => {
  const age = /^(\d{1,6})([smhdw])$/.exec(word);
  if (age !== null) return (nowMs) => nowMs - Number(age[1]) * (UNIT_MS[age[2] ?? ''] ?? 0);
  const time = /^\d{13}$/.test(word) ? Number(word) : /^\d{10}$/.test(word) ? Number(word) * 1_000 : isoTime(word);
  if (time !== undefined) return () => time;
  throw usage(
    `${quoted(word)} is not a time.`,
    'Write it as 2026-11-21T08:00, as Unix seconds or milliseconds, or as an age like 90s, 2h or 7d.',
  );
};

/**
 * Throws Failure `usage` for a range that ends before it begins.
 * @param names the flags of its two ends
 * @param now by this machine's clock: only an age against a date depends on it
 */
export function requireRange(
  [from, to]: readonly [Moment | undefined, Moment | undefined],
  [fromName, toName]: readonly [string, string],
  now: number,
): void {
  if (from === undefined || to === undefined || from(now) <= to(now)) return;
  throw usage(`${fromName} is after ${toName}.`, `Give the earlier time as ${fromName}.`);
}

/** A moment whose date may be one of a zone. */
export type ZonedMoment = (clock: WallClock) => Moment;

/** As {@link moment}, with ISO 8601 without a zone in the zone of a clock. */
export const zonedMoment: Parser<ZonedMoment> = (word) => {
  const parsed = moment(word);
  const isWithoutZone = ISO.test(word) && ISO.exec(word)?.[4] === undefined;
  return isWithoutZone ? (clock) => (now) => momentBy(clock, parsed(now)) : () => parsed;
};

/** A time zone: an offset from UTC, or a name. */
export const zoneName: Parser<string> = (word) => {
  const zone = parseZone(word);
  if (zone !== null) return zone;
  throw usage(`${quoted(word)} is not a time zone.`, 'Write it like Europe/Zurich or +01:00.');
};

function isoTime(word: string): number | undefined {
  const [, day, minutes = '00:00', seconds = ':00', zone = 'Z'] = ISO.exec(word) ?? [];
  if (day === undefined) return undefined;
  const time = Date.parse(`${day}T${minutes}${seconds}${zone}`);
  // V8 reads the 30th of February as the 2nd of March
  const isRealDay = new Date(`${day}T00:00:00Z`).getUTCDate() === Number(day.slice(8));
  return Number.isNaN(time) || !isRealDay ? undefined : time;
}

/** A zone offset like `+08:00`, in minutes ahead of UTC. */
export function utcOffset(word: string): number {
  const [, sign, hours = '', minutes = ''] = /^([+-])(0\d|1[0-4]):([0-5]\d)$/.exec(word) ?? [];
  if (sign === undefined)
    throw usage(`The zone must be an offset from UTC, not ${quoted(word)}.`, 'Write it like +08:00 or -05:30.');
  const ahead = Number(hours) * 60 + Number(minutes);
  return sign === '-' ? -ahead : ahead;
}

/** A duration such as `500ms`, `90s`, `2h` or `7d`, in ms. */
export const duration: Parser<number> = (word) => {
  const [, count, unit = ''] = /^(\d{1,6})(ms|s|m|h|d|w)$/.exec(word) ?? [];
  if (count !== undefined) return Number(count) * (UNIT_MS[unit] ?? 0);
  throw usage(`"${word}" is not a duration.`, 'Write it as 500ms, 90s, 15m, 2h or 7d.');
};

/** A duration, and not none. */
export const durationAboveZero: Parser<number> = (word) => {
  const milliseconds = duration(word);
  if (milliseconds > 0) return milliseconds;
  throw usage(`The duration ${quoted(word)} is zero.`, 'Write it as 500ms, 90s, 15m, 2h or 7d.');
};

/** A duration that is no longer than another one, such as `24d`. */
export function durationUpTo(longest: string): Parser<number> {
  return (word) => {
    const milliseconds = durationAboveZero(word);
    if (milliseconds <= duration(longest)) return milliseconds;
    throw usage(`The duration ${quoted(word)} is too long.`, `Use at most ${longest}.`);
  };
}
