import type { ExchangeClient } from '../../client/exchange-client.js';
import { timeFor } from '../../client/limiter/limits.js';
import { PAGE_SIZE } from '../../client/order-pages.js';
import { Decimal } from '../../protocol/decimal.js';
import { splitMarket } from '../../protocol/words.js';
import type { TradingAccount } from '../account.js';
import type { BatchLine, BatchTerms, Check } from '../journal/intent.js';
import { quietly } from '../quietly.js';
import type { Job } from './job.js';
import { totals } from './lines.js';
import { look } from './look.js';

/**
 * Looks whether something on the way repeated a request that was answered as it should be. What the account has less than
 * before tells without reading a single order: it must be what the placed orders hold. Where it is not, or cannot be
 * compared, all orders since the beginning are counted.
 *
 * @returns when the look began; undefined where it could not be found out
 */
export async function findRepeated(account: TradingAccount, job: Job): Promise<Check | undefined> {
  const { client, budget, host } = account;
  const start: Check = { time: client.now(), at: host.now() };
  const pages = Math.ceil((job.known.size - job.terms.baseline.length) / PAGE_SIZE);
  const isClear = await balanceAgrees(account, job);
  if (!isClear) budget.lengthen(timeFor(pages));
  const isKnown = isClear || (await look(account, job, { horizon: job.terms.baseline.length }));
  return isKnown ? start : undefined;
}

/** What is available of the coin that these orders spend; null where that says nothing of them, or cannot be had. */
export async function availableFor(client: ExchangeClient, terms: Pick<BatchTerms, 'market' | 'side' | 'account'>) {
  const { market, side, account } = terms;
  const names = splitMarket(market);
  // no operation shows the balances of a margin account
  if (account !== 'spot' || names === undefined) return null;
  const coin = side === 'buy' ? names.quote : names.base;
  const info = await quietly(() => client.read('getAccountInfo', {}));
  return info?.result.coins.find(({ key }) => key.toLowerCase() === coin)?.available ?? null;
}

async function balanceAgrees({ client }: TradingAccount, { terms, fates }: Job): Promise<boolean> {
  const after = terms.available === null ? null : await availableFor(client, terms);
  if (terms.available === null || after === null) return false;
  const placed: BatchLine[] = terms.lines.filter((_, line) => fates[line]?.outcome === 'placed');
  const { amount, notional } = totals(placed);
  const held = terms.side === 'buy' ? notional : amount;
  return Decimal.of(terms.available).minus(Decimal.of(after)).compare(held) === 0;
}
