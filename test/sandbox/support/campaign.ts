import { randomNumbers } from '../../support/random.js';
import { ModelComparison } from './model-comparison.js';

export interface Campaign {
  readonly seed: number;
  readonly operations: number;
  readonly placed: number;
  readonly refused: number;
  readonly cancelled: number;
  readonly trades: number;
  /** Time spent in the order service, in ms: matching, ledger, bills, trades, candles. */
  readonly spent: number;
}

const ACCOUNTS = ['ann', 'ben', 'cas', 'dee', 'eve'];

/** Operations after which everything is compared. The effects of an operation are compared after each. */
const CHECK = 500;

/** Random orders, cancellations and deposits through the order service and the model. Throws an error that names the operation. */
export function engineCampaign(seed: number, operations: number): Campaign {
  const comparison = new ModelComparison(ACCOUNTS, 20_000n, 200n);
  const random = randomNumbers(seed);
  for (let operation = 1; operation <= operations; operation += 1) {
    try {
      step(comparison, random);
      if (operation % CHECK === 0 || operation === operations) comparison.check();
    } catch (error) {
      throw new Error(`operation ${operation} of seed ${seed}`, { cause: error });
    }
  }
  return { seed, operations, ...comparison.counts, spent: comparison.spent };
}

/** Money is short, so that refusals stay frequent and the book stays a few dozen orders deep. */
function step(comparison: ModelComparison, random: () => number): void {
  const whole = (below: number) => Math.floor(random() * below);
  const account = ACCOUNTS[whole(ACCOUNTS.length)] ?? 'ann';
  const kind = random();
  if (kind < 0.2) comparison.cancel(whole(1_000_000));
  else if (kind < 0.21) comparison.deposit(account, 'usdt', BigInt(whole(200)));
  else if (kind < 0.22) comparison.deposit(account, 'btc', BigInt(whole(200)));
  else {
    const type = (['limit', 'limit', 'limit', 'postOnly', 'ioc'] as const)[whole(5)] ?? 'limit';
    const side = random() < 0.5 ? 'buy' : 'sell';
    // sometimes far from the others, so that the book has gaps and takers cross many levels
    const price = random() < 0.1 ? 50 + whole(100) : 95 + whole(11);
    comparison.place({ account, side, type, price, amount: 1 + whole(random() < 0.05 ? 200 : 25) });
  }
}
