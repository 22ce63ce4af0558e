import { readTextBounded } from '../../platform/bounded-file.js';
import type { Exchange } from '../exchange/exchange.js';
import type { DataDirectory } from '../lifecycle/data-directory.js';
import { MARKETS, type Market } from '../markets/market.js';
import { BadRecording, LONGEST_RECORDING, type Recording, readRecording, spanOf } from '../replay/recording.js';
import { type AdminCall, type AdminInput, AdminRefusal, jsonCall } from './http.js';

/** What `pit sandbox replay` reports. Times are ISO 8601 in UTC with milliseconds. */
export interface ReplayReport {
  readonly market: string;
  readonly kind: Recording['kind'];
  readonly rows: number;
  readonly from: string;
  readonly to: string;
  /** Null for as fast as possible. */
  readonly speed: number | null;
  /** Whether a new exchange was started at the file's first row. */
  readonly anew: boolean;
  /** Rows that are still to be replayed. */
  readonly left: number;
}

const LONGEST_PRICE_MOVE = 365 * 86_400_000;

/** The refusal that `anew` overrides. */
const LOSES_STATE = 'losesState';

/**
 * `POST /replay` makes a `market` follow a `file`. The clock starts at the file's first row. If that is in the past, a new exchange
 * is started there, in which the market has no earlier history. What customers did would be lost, so `anew` must then be set.
 * Without a `speed` the replay runs as fast as possible, the answer comes at its end, and the clock is stopped there.
 *
 * `POST /price` moves a `market` to a `price` within `ms`.
 */
export function replayCalls(dataDirectory: DataDirectory): [string, AdminCall][] {
  return [
    ['POST /replay', jsonCall((input) => dataDirectory.alone(() => replay(dataDirectory, input)))],
    ['POST /price', jsonCall((input) => movePrice(dataDirectory, input))],
  ];
}

/** What `pit sandbox price` reports. */
export interface PriceMoveReport {
  readonly market: string;
  readonly price: string;
  /** When the price is reached: ISO 8601 in UTC with milliseconds. */
  readonly at: string;
}

async function movePrice({ exchange }: DataDirectory, input: AdminInput): Promise<PriceMoveReport> {
  const [{ name: market }, price, ms] = [
    marketIn(input),
    input.text('price'),
    input.whole('ms', 0, LONGEST_PRICE_MOVE),
  ];
  exchange.advance();
  exchange.admin.movePrice(market, price, ms);
  await exchange.durable();
  return { market, price, at: new Date(exchange.clock.now() + ms).toISOString() };
}

async function replay(dataDirectory: DataDirectory, input: AdminInput): Promise<ReplayReport> {
  const market = marketIn(input);
  const recording = recordingIn(input.text('file'), market);
  const speed = input.optionalNumber('speed', 0.001, 100_000) ?? null;
  const anew = needsNewExchange(dataDirectory.exchange, recording);
  if (anew) {
    requireUntouched(
      dataDirectory.exchange,
      input,
      'The replay is in the past, so a new exchange has to be started there',
    );
    await startNewAt(dataDirectory, market, recording);
  } else dataDirectory.exchange.admin.replay(market.name, recording);
  await follow(dataDirectory, recording, speed);
  const { from, to } = spanOf(recording);
  return {
    market: market.name,
    kind: recording.kind,
    rows: recording.rows.length,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    speed,
    anew,
    left: dataDirectory.exchange.admin.replaying,
  };
}

/** Throws {@link AdminRefusal} if customers have done something, unless `anew` allows losing it. */
export function requireUntouched({ admin }: Exchange, input: AdminInput, reason: string): void {
  if (admin.isUntouched || input.isSet('anew')) return;
  throw new AdminRefusal(
    `${reason}, and what was done here would be lost: accounts, orders, balances.`,
    'Confirm it with --yes, or use another PIT_HOME.',
    LOSES_STATE,
  );
}

function needsNewExchange({ clock, admin: { replaying } }: Exchange, recording: Recording) {
  return spanOf(recording).from < clock.now() || replaying > 0;
}

function startNewAt(dataDirectory: DataDirectory, { name: market }: Market, recording: Recording): Promise<void> {
  const replayGenesis = { time: spanOf(recording).from, emptyMarket: market };
  return dataDirectory.replace(async (directory) => {
    const exchange = await dataDirectory.open(directory, replayGenesis);
    exchange.admin.replay(market, recording);
    await exchange.close();
  });
}

async function follow(dataDirectory: DataDirectory, recording: Recording, speed: number | null): Promise<void> {
  const { exchange } = dataDirectory;
  const { admin } = exchange;
  if (speed === null) await admin.fastForward(spanOf(recording).to, () => !dataDirectory.isClosing);
  else {
    exchange.clock.run(speed);
    exchange.clock.start();
  }
  exchange.advance();
  await exchange.durable();
}

function marketIn(input: AdminInput): Market {
  const name = input.text('market');
  const market = MARKETS.get(name);
  if (market !== undefined) return market;
  throw new AdminRefusal(`There is no market ${name}.`, `There are ${[...MARKETS.keys()].join(', ')}.`);
}

function recordingIn(file: string, market: Market): Recording {
  try {
    return readRecording(readTextBounded(file, LONGEST_RECORDING), market);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const hint =
      error instanceof BadRecording
        ? 'Rows are time,open,high,low,close,volume; the export of twelve columns; or time,trade id,side,price,amount.'
        : null;
    throw new AdminRefusal(`${file} cannot be replayed: ${reason}`, hint);
  }
}
