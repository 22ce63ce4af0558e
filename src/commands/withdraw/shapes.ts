import * as shape from '../../cli/shapes.js';
import * as origin from '../../exchange/origins.js';
import { dryRunShape, PREVIEW } from '../dry-run.js';

/** What became of a withdrawal that was sent. */
export const WITHDRAWN = shape.record({
  outcome: shape.oneOf(['placed', 'unknown'], 'what became of it'),
  id: shape.orNull(shape.text('of its record', origin.WITHDRAW.id)),
  coin: shape.text(''),
  amount: shape.decimal(''),
  fee: shape.decimal('of the network'),
  receives: shape.decimal('what arrives'),
  address: shape.text('of a chain with memos: the account'),
  memo: shape.orNull(shape.text('')),
  internal: shape.yesNo('consent to a transfer within the exchange'),
});

/** A withdrawal before it is sent. */
export const DRY_WITHDRAWAL = dryRunShape({
  ...PREVIEW,
  coin: shape.text(''),
  chain: shape.orNull(shape.text('whose fee and form of address count')),
  receives: shape.decimal('what arrives'),
  address: shape.text(''),
  memo: shape.orNull(shape.text('')),
  balanceBefore: shape.orNull(shape.decimal('available')),
  balanceAfter: shape.orNull(shape.decimal('available then')),
  usedBefore: shape.orNull(shape.yesNo('null where that is not known')),
});
