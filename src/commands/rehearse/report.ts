import * as shape from '../../cli/shapes.js';
import { FAULT_KINDS } from '../../sandbox/faults/rules.js';
import type { PrivateSandbox } from '../../sandbox/rehearsal/private-sandbox.js';
import type { CandlePath } from '../../sandbox/replay/candle-path.js';
import { ALGO, type AlgoDocument } from '../algo/view/algo-fields.js';
import { PNL_ROW } from '../pnl/rows.js';
import type { AccountRecord } from './account-record.js';

const VALUE = 'in the quote coin of the first market of the tape';

export const REPORT = shape.object({
  tape: shape.object({
    from: shape.nullable(shape.time('of the first event')),
    to: shape.nullable(shape.time('of the last event that was replayed')),
    documents: shape.integer('the lines and rows that were replayed'),
    gaps: shape.integer('periods that were not recorded'),
  }),
  path: shape.enumOf(['random', 'worst', 'ohlc', 'olhc'], 'how prices moved within candles'),
  seed: shape.nullable(shape.integer('of a random path: --path random:SEED gives the same report')),
  bothExits: shape.nullable(
    shape.object(
      {
        stopped: shape.integer('the stop filled first'),
        taken: shape.integer('the take-profit filled first'),
      },
      'candles that reached both the stop and the take-profit: which was first is a guess; null without both',
    ),
  ),
  orders: shape.integer('that the exchange accepted'),
  fills: shape.integer('trades of these orders'),
  refused: shape.integer('orders and cancellations that the exchange refused'),
  refusedReads: shape.integer('other requests that the exchange refused, as for a limit'),
  beyondVolume: shape.array(
    shape.object({ coin: shape.text(''), amount: shape.decimal('') }),
    'what was filled beyond what the tape has as traded in the same candle or minute',
  ),
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
  gain: shape.object(
    {
      orders: shape.nullable(shape.decimal('net less held: what the orders gained')),
      held: shape.decimal('what the coins of the account gained in value without a trade'),
    },
    VALUE,
  ),
  held: shape.decimal('what the same money would have gained without a trade'),
  drawdown: shape.decimal('the largest fall of the value of the account from an earlier high'),
  slippage: shape.decimal(
    `${VALUE}; what fills cost beyond the last price when their orders were placed: above zero if they were worse, below if better`,
  ),
  faults: shape.array(
    shape.object({
      kind: shape.enumOf(Object.keys(FAULT_KINDS), ''),
      applied: shape.integer('to how many requests or frames'),
      executed: shape.integer('orders and cancellations that were executed all the same'),
    }),
  ),
  pnl: shape.array(PNL_ROW, 'as pit pnl prints them'),
  algo: shape.nullable(
    shape.object(
      { state: ALGO.state, reason: ALGO.reason, events: ALGO.events },
      'what became of an algo order by the end of the tape',
    ),
  ),
});

interface Fee {
  readonly coin: string | null;
  readonly amount: string;
  readonly value: string | null;
}

/** The rows of `pit pnl`, as far as they are read here. */
export interface PnlTotals {
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
  readonly path: CandlePath['kind'];
  readonly seed: number | null;
  readonly bothExits: { readonly stopped: number; readonly taken: number } | null;
  readonly orders: number;
  readonly fills: number;
  readonly refused: number;
  readonly refusedReads: number;
  readonly beyondVolume: AccountRecord['beyondVolume'];
  readonly fees: readonly Fee[];
  readonly realised: string | null;
  readonly unrealised: string | null;
  readonly net: string | null;
  readonly gain: { readonly orders: string | null; readonly held: string };
  readonly held: string;
  readonly drawdown: string;
  readonly slippage: string;
  readonly faults: PrivateSandbox['faults'];
  readonly pnl: readonly PnlTotals[];
  readonly algo: Pick<AlgoDocument, 'state' | 'reason' | 'events'> | null;
}
