import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Program } from '../../cli/run.js';
import { Decimal } from '../../domain/decimal.js';
import { FILE_MODE } from '../../platform/files/private-files.js';
import type { Host } from '../../platform/host.js';
import type { PrivateSandbox } from '../../sandbox/rehearsal/private-sandbox.js';
import type { CandlePath } from '../../sandbox/replay/candle-path.js';
import { isoTime } from '../../terminal/time.js';
import type { AlgoDocument } from '../algo/view/algo-fields.js';
import type { AccountRecord } from './account-record.js';
import { CommandWorld, homeIn } from './rehearsed-command.js';
import type { PnlTotals, Report } from './report.js';
import type { TapeReader } from './tape.js';
import { VirtualClock } from './virtual-clock.js';

interface ReportParts {
  readonly host: Host;
  readonly program: Program;
  readonly folder: string;
  readonly tape: TapeReader;
  readonly sandbox: PrivateSandbox;
  readonly record: AccountRecord;
  /** The algo order that was rehearsed; null for another command. */
  readonly algo: Pick<AlgoDocument, 'state' | 'reason' | 'events'> | null;
  readonly path: CandlePath;
  readonly bothExits: Report['bothExits'];
}

/**
 * Reports what a rehearsal did, up to the moment that the exchange shows. Profit and loss are those of `pit pnl`, asked of the exchange
 * itself; what the account began with cost its first price. Throws its Failure.
 */
export async function reportOf({
  host,
  program,
  folder,
  tape,
  sandbox,
  record,
  algo,
  path: candlePath,
  bothExits,
}: ReportParts): Promise<Report> {
  // what the report asks is not counted
  const { refused, refusedReads } = sandbox;
  sandbox.exchange.clock.stop();
  sandbox.endFaults();
  record.measureIfTraded();
  // pnl values everything at the prices of the tape, too
  sandbox.showRecordedPrices();
  const clock = new VirtualClock(sandbox.exchange.clock.now());
  const keys = sandbox.exchange.customers.secretsOfFirst;
  const world = new CommandWorld({
    ...{ host, clock, sandbox, keys, home: `${homeIn(folder)}-report`, latencyMs: 0 },
    printed: () => undefined,
  });
  const { unit } = record;
  const basis = path.join(folder, 'basis.csv');
  const lines = basisLines(record, tape.from ?? clock.now());
  if (lines.length > 0) writeFileSync(basis, lines.join(''), { mode: FILE_MODE });
  const pnl = (await world.ask(program, ['pnl', '--in', unit])) as PnlTotals[];
  const byCoin = ['pnl', '--by', 'coin', '--in', unit, ...(lines.length > 0 ? ['--basis', basis] : [])];
  const total = ((await world.ask(program, byCoin)) as PnlTotals[]).at(-1);
  return {
    tape: {
      from: tape.from === undefined ? null : isoTime(tape.from),
      to: tape.to === undefined ? null : isoTime(tape.to),
      documents: tape.documents,
      gaps: tape.gaps,
    },
    path: candlePath.kind,
    seed: candlePath.kind === 'random' ? candlePath.seed : null,
    bothExits,
    orders: record.orders,
    fills: record.fills.length,
    refused,
    refusedReads,
    beyondVolume: record.beyondVolume,
    fees: pnl.at(-1)?.fees ?? [],
    realised: total?.realised ?? null,
    unrealised: total?.unrealised ?? null,
    net: total?.net ?? null,
    gain: { orders: total?.net == null ? null : gainOf(total.net, record.held), held: trimmed(record.held) },
    held: trimmed(record.held),
    drawdown: trimmed(record.drawdown.amount),
    slippage: trimmed(record.slippage),
    faults: sandbox.faults,
    pnl,
    algo: algo === null ? null : { state: algo.state, reason: algo.reason, events: algo.events },
  };
}

/** What the orders gained: all that the account gained less what its coins gained without them. */
function gainOf(net: string, held: string): string {
  return Decimal.of(net).minus(Decimal.of(held)).trimmed().toString();
}

function trimmed(amount: string): string {
  return Decimal.of(amount).trimmed().toString();
}

/** What the account began with, at its first prices, as `pit pnl --basis` reads it. */
function basisLines({ opening, unit }: AccountRecord, time: number): string[] {
  return opening.flatMap(({ coin, amount, price }) => {
    if (price === null || Decimal.of(amount).sign === 0) return [];
    const cost = Decimal.of(amount).times(Decimal.of(price)).trimmed();
    return [`${isoTime(time)},${coin},${amount},${cost},${unit}\n`];
  });
}
