import { readFileSync } from 'node:fs';
import type { Exchange } from '../exchange/exchange-service.js';
import type { DataDirectory } from '../lifecycle/data-directory.js';
import { MARKETS, type Market } from '../markets/market.js';
import { BadRecording, type Recording, readRecording, spanOf } from '../replay/recording.js';
import { type AdminCall, type AdminInput, AdminRefusal, plainly } from './http.js';

/** A replay as `pit sandbox replay` answers it; times are ISO 8601 in UTC with milliseconds. */
export interface ReplayReport {
  readonly market: string;
  readonly kind: Recording['kind'];
  readonly rows: number;
  readonly from: string;
  readonly to: string;
  /** Null for as fast as it goes. */
  readonly speed: number | null;
  /** Whether the exchange began anew at the file's first row. */
  readonly anew: boolean;
  /** Rows that are still to happen. */
  readonly left: number;
}

const LONGEST_PRICE_MOVE = 365 * 86_400_000;

/** Names the refusal that `anew` lifts. */
const LOSES_STATE = 'losesState';

/**
 * `POST /replay` lets a `market` follow a `file`. The clock starts at the file's first row. Where that lies in the past the
 * exchange begins anew there, and the market has no past before it; what customers did would be lost, so then `anew` must
 * be set. Without a `speed` it goes as fast as it can, and the answer comes when it is over: the clock stands at its end.
 * `POST /price` leads a `market` to a `price` within `ms`.
 */
export function replayCalls(dataDirectory: DataDirectory): [string, AdminCall][] {
  return [
    ['POST /replay', plainly((input) => dataDirectory.alone(() => replay(dataDirectory, input)))],
    ['POST /price', plainly((input) => movePrice(dataDirectory, input))],
  ];
}

/** A price that a market is led to, as `pit sandbox price` answers it. */
export interface PriceMoveReport {
  readonly market: string;
  readonly price: string;
  /** When it is there: ISO 8601 in UTC with milliseconds. */
  readonly at: string;
}

async function movePrice({ exchange }: DataDirectory, input: AdminInput): Promise<PriceMoveReport> {
  const [{ market }, price, ms] = [marketIn(input), input.text('price'), input.whole('ms', 0, LONGEST_PRICE_MOVE)];
  exchange.advance();
  exchange.admin.movePrice(market, price, ms);
  await exchange.durable();
  return { market, price, at: new Date(exchange.admin.clock.now() + ms).toISOString() };
}

async function replay(dataDirectory: DataDirectory, input: AdminInput): Promise<ReplayReport> {
  const market = marketIn(input);
  const recording = recordingIn(input.text('file'), market);
  const speed = input.optionalNumber('speed', 0.001, 100_000) ?? null;
  const anew = mustBeginAnew(dataDirectory.exchange, market, recording);
  if (anew) {
    demandUntouched(
      dataDirectory.exchange,
      input,
      'The replay lies in the past, so the exchange has to begin anew there',
    );
    await foundAt(dataDirectory, market, recording);
  } else dataDirectory.exchange.admin.replay(market.market, recording);
  await follow(dataDirectory, recording, speed);
  const { from, to } = spanOf(recording);
  return {
    ...{ market: market.market, kind: recording.kind, rows: recording.rows.length },
    ...{ from: new Date(from).toISOString(), to: new Date(to).toISOString() },
    ...{ speed, anew, left: dataDirectory.exchange.admin.replaying },
  };
}

/** Throws {@link AdminRefusal} when customers have done something, unless `anew` says that it may be lost. */
export function demandUntouched({ admin }: Exchange, input: AdminInput, reason: string): void {
  if (admin.isUntouched || input.isSet('anew')) return;
  throw new AdminRefusal(
    `${reason}, and what was done here would be lost: accounts, orders, balances.`,
    'Confirm it with --yes, or use another PIT_HOME.',
    LOSES_STATE,
  );
}

function mustBeginAnew({ admin: { clock, replaying } }: Exchange, _market: Market, recording: Recording) {
  return spanOf(recording).from < clock.now() || replaying > 0;
}

function foundAt(dataDirectory: DataDirectory, { market }: Market, recording: Recording): Promise<void> {
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
    admin.clock.run(speed);
    admin.clock.start();
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
    return readRecording(readFileSync(file, 'utf8'), market);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const hint =
      error instanceof BadRecording
        ? 'Rows are time,open,high,low,close,volume; the export of twelve columns; or time,trade id,side,price,amount.'
        : null;
    throw new AdminRefusal(`${file} cannot be replayed: ${reason}`, hint);
  }
}
