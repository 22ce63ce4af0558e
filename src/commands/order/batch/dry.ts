import type { Context } from '../../../cli/context.js';
import type { Answer } from '../../../terminal/answer.js';
import type { Screen } from '../../../terminal/screen.js';
import type { TradingAccount } from '../../../trading/account.js';
import { batchValues } from '../../../trading/batches/courier.js';
import { MOST_PAIRS } from '../../../trading/batches/job.js';
import type { Breach } from '../../../trading/guards/breach.js';
import type { GuardName } from '../../../trading/guards/names.js';
import { spentCoin } from '../../../trading/preview/facts.js';
import { maskedRequest } from '../../dry-run.js';
import { breachText } from '../../guarding.js';
import { type ShownJob, summaryOf } from './preview.js';

/** What a job would have sent, all its requests with keys and signatures left out; nothing is. */
export function dryBatch(
  { host }: Context,
  { client }: TradingAccount,
  shown: ShownJob,
  breaches: readonly Breach[],
  overridden: readonly GuardName[],
  show: (screen: Screen) => string,
): Answer {
  const { side, account, lines, all, market, facts, warnings } = shown;
  const { orders, requests: count, amount, notional, ...sent } = summaryOf(lines);
  // these are always prices, also of a job that has nothing left to send
  const { lowest, highest } = lines.length > 0 ? sent : summaryOf(all);
  const requests = Array.from({ length: count }, (_, index) => {
    const pairs = lines.slice(index * MOST_PAIRS, (index + 1) * MOST_PAIRS);
    const values = batchValues({ market: market.market, side, account, lines: pairs }, [...pairs.keys()]);
    return maskedRequest(host, client, 'orderMoreV2', values);
  });
  const { fee, balance, bid, ask, reference, crossing } = facts;
  const text = (value: { toString(): string } | null | undefined) => value?.toString() ?? null;
  const preview = {
    ...{ price: sent.lowest === sent.highest ? sent.lowest : null, amount, notional, fee: text(fee?.fee) },
    warnings: [...breaches.map((breach) => breachText(breach, overridden)), ...warnings],
    ...{ orders, requests: count, lowest, highest },
    ...{ feeCoin: fee?.coin ?? null, spentCoin: spentCoin(market, side) },
    ...{ balanceBefore: text(balance?.before), balanceAfter: text(balance?.after) },
    ...{ bid: text(bid), ask: text(ask), mid: text(reference?.price), fillingAtOnce: crossing },
    guards: breaches.map(({ guard, message }) => ({ guard, message, overridden: overridden.includes(guard) })),
  };
  return {
    data: { dryRun: true, operation: 'orderMoreV2', request: requests[0] ?? null, requests, preview },
    show: (screen) => `${show(screen)}\n${screen.paint.faint('Dry run: nothing was sent.')}`,
  };
}
