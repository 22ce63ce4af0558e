import { listing } from '../../cli/answers.js';
import { optional } from '../../cli/definition.js';
import { fieldColumns } from '../../cli/field-columns.js';
import * as shape from '../../cli/shapes.js';
import type { ChainFee } from '../../domain/funds.js';
import { asFailure, Failure, suggest } from '../../errors.js';
import { coinName } from '../inputs/parsers.js';
import { define } from '../session/command.js';
import { explainRefusal } from './refusal.js';
import { openColumn } from './state-columns.js';

const CHAIN_FEE = shape.object({
  coin: shape.outsideText(''),
  chain: shape.nullable(shape.outsideText('')),
  mainChain: shape.nullable(shape.outsideText('')),
  fee: shape.nullable(shape.decimal('of a withdrawal')),
  canDeposit: shape.nullable(shape.boolean('')),
  canWithdraw: shape.nullable(shape.boolean('')),
});

const column = fieldColumns<ChainFee>(CHAIN_FEE);

export default define({
  summary: 'List withdrawal fees and open chains',
  arguments: { coin: optional('the coin (default: all)', coinName) },
  examples: ['fees', 'fees usdt --json'],
  output: shape.array(CHAIN_FEE),
  async run(context, { coin }) {
    const client = await context.session.exchange();
    const rows = await explainRefusal(context, { coin }, () => client.fees({ coin })).catch((error: unknown) => {
      throw coin === undefined ? withoutCoin(asFailure(error)) : error;
    });
    return listing({
      rows,
      row: CHAIN_FEE,
      columns: [
        column('coin', { importance: 9, paint: (text, _, paint) => paint.strong(text) }),
        column('chain', { importance: 8 }),
        column('mainChain', { title: 'main chain', importance: 2 }),
        column('fee', { importance: 8 }),
        openColumn<ChainFee>('deposits', ({ canDeposit }) => canDeposit, 5),
        openColumn<ChainFee>('withdrawals', ({ canWithdraw }) => canWithdraw, 6),
      ],
      empty: coin === undefined ? 'The exchange lists no chains.' : `The exchange lists no chains for ${coin}.`,
    });
  },
});

/** That all coins are listed at once is observed: the interface asks for one. */
function withoutCoin(failure: Failure): Failure {
  if (failure.kind !== 'internal' && failure.kind !== 'refused') return failure;
  return new Failure(
    failure.kind,
    'The exchange does not list all coins at once: its interface shows getFeeInfo for one coin only.',
    {
      hint: suggest('Name a coin', 'fees', 'btc'),
      code: failure.code,
      cause: failure,
    },
  );
}
