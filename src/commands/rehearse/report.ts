import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Program } from '../../cli/run.js';
import * as shape from '../../cli/shapes.js';
import { Decimal } from '../../domain/decimal.js';
import type { Host } from '../../platform/host.js';
import { FILE_MODE } from '../../platform/private-files.js';
import { FAULT_KINDS } from '../../sandbox/faults/rules.js';
import type { PrivateSandbox } from '../../sandbox/rehearsal/private-sandbox.js';
import { isoTime } from '../../terminal/time.js';
import { PNL_ROW } from '../pnl/rows.js';
import type { AccountRecord } from './account-record.js';
import { CommandWorld, homeIn } from './rehearsed-command.js';
import type { Tape } from './tape.js';
import { VirtualClock } from './virtual-clock.js';

const VALUE = 'in the quote coin of the first market of the tape';

export const REPORT = shape.object({
  tape: shape.object({
    from: shape.nullable(shape.time('of the first event')),
    to: shape.nullable(shape.time('of the last event that happened')),
    documents: shape.integer('the lines and rows that were replayed'),
    gaps: shape.integer('times in which something was not recorded'),
  }),
  orders: shape.integer('that the exchange took'),
  fills: shape.integer('trades of these orders'),
  refused: shape.integer('orders and cancellations that the exchange refused'),
  fees: shape.array(
    shape.object({
      coin: shape.nullable(shape.text('')),
      amount: shape.decimal(''),
      value: shape.nullable(shape.decimal(VALUE)),
    }),
  ),
  realised: shape.nullable(shape.decimal(`${VALUE}; what the account began with cost its first price`)),
  unrealised: shape.nullable(shape.decimal(VALUE)),
  net: shape.nullable(shape.decimal('realised and unrealised, with fees')),
  held: shape.decimal('what the same money would have gained without a trade'),
  drawdown: shape.decimal('the largest fall of the value of the account from an earlier high'),
  slippage: shape.decimal('what fills cost more than the last price when their order came'),
  faults: shape.array(
    shape.object({
      kind: shape.enumOf(Object.keys(FAULT_KINDS), ''),
      applied: shape.integer('to how many requests or frames'),
      executed: shape.integer('orders and cancellations that were executed all the same'),
    }),
  ),
  pnl: shape.array(PNL_ROW, 'as pit pnl prints them'),
});

interface Fee {
  readonly coin: string | null;
  readonly amount: string;
  readonly value: string | null;
}

/** The rows of `pit pnl`, as far as they are read here. */
interface PnlRow {
  readonly fees: readonly Fee[];
  readonly realised: string | null;
  readonly unrealised: string | null;
  readonly net: string | null;
}

export interface Report {
  readonly tape: {
    readonly from: string | null;
    readonly to: string | null;
    readonly documents: number;
    readonly gaps: number;
  };
  readonly orders: number;
  readonly fills: number;
  readonly refused: number;
  readonly fees: readonly Fee[];
  readonly realised: string | null;
  readonly unrealised: string | null;
  readonly net: string | null;
  readonly held: string;
  readonly drawdown: string;
  readonly slippage: string;
  readonly faults: PrivateSandbox['faults'];
  readonly pnl: readonly PnlRow[];
}

interface ReportParts {
  readonly host: Host;
  readonly program: Program;
  readonly folder: string;
  readonly tape: Tape;
  readonly sandbox: PrivateSandbox;
  readonly record: AccountRecord;
}

/**
 * Reports what a rehearsal did, up to the moment that the exchange shows. Profit and loss are those of `pit pnl`, asked of the exchange
 * itself; what the account began with cost its first price. Throws its Failure.
 */
export async function reportOf({ host, program, folder, tape, sandbox, record }: ReportParts): Promise<Report> {
  sandbox.exchange.clock.stop();
  sandbox.endFaults();
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
  const pnl = (await world.ask(program, ['pnl', '--in', unit])) as PnlRow[];
  const byCoin = ['pnl', '--by', 'coin', '--in', unit, ...(lines.length > 0 ? ['--basis', basis] : [])];
  const total = ((await world.ask(program, byCoin)) as PnlRow[]).at(-1);
  return {
    tape: {
      from: tape.from === undefined ? null : isoTime(tape.from),
      to: tape.to === undefined ? null : isoTime(tape.to),
      documents: tape.documents,
      gaps: tape.gaps,
    },
    orders: record.orders,
    fills: record.fills.length,
    refused: sandbox.refused,
    fees: pnl.at(-1)?.fees ?? [],
    realised: total?.realised ?? null,
    unrealised: total?.unrealised ?? null,
    net: total?.net ?? null,
    held: trimmed(record.held),
    drawdown: trimmed(record.drawdown.amount),
    slippage: trimmed(record.slippage),
    faults: sandbox.faults,
    pnl,
  };
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
