import { confirm, requireConsent } from '../../cli/consent.js';
import type { Context } from '../../cli/context.js';
import { Failure, suggest } from '../../errors.js';
import type { Answer } from '../../terminal/answer.js';
import { paintSide, sideText } from '../../terminal/cells.js';
import type { Screen } from '../../terminal/screen.js';
import { type Entry, record } from '../../terminal/table.js';
import type { TradingAccount } from '../../trading/account.js';
import { type CancelledAll, cancelAll } from '../../trading/cancel/all.js';
import { watchMarket } from '../../trading/duplicates/watch.js';
import { type OwnOrders, readOpenOrders } from '../../trading/orders/open-orders.js';
import { onMarket } from '../known-market.js';
import { exchangeText } from '../session/exchange-text.js';
import { unknownFailure, withFailure } from './conclusion.js';
import { drySend } from './dry-send.js';
import { openWords } from './open-words.js';
import { showProgress } from './progress.js';
import { rows } from './rows.js';

/** Cancels every open order of a market, after asking. Throws Failure as `pit cancel`. */
export async function cancelEverything(context: Context, market: string): Promise<Answer> {
  requireConsent(context);
  const account = await context.trading.account();
  const first = await onMarket(context, market, () => readOpenOrders(account.client, market));
  const ids = [...first.open.buy, ...first.open.sell].map(({ id }) => ({ id }));
  const where = await exchangeText(context, account.client);
  const shown = (screen: Screen) => preview(screen, market, first, where);
  if (context.globals.dryRun) return drySend(context, account.client, market, ids, shown);
  if (ids.length === 0) return conclude(market, { attempts: [], left: [], failure: first.failure });
  if (!context.globals.yes) context.output.preview(shown);
  await confirm(context, ids.length === 1 ? 'Cancel this order?' : `Cancel these ${ids.length} orders?`);
  return cancelled(context, account, market, first);
}

async function cancelled(context: Context, account: TradingAccount, market: string, first: OwnOrders): Promise<Answer> {
  const count = first.open.buy.length + first.open.sell.length;
  const { answered, end } = showProgress(context, market, count, true);
  try {
    const done = await cancelAll(account, market, first, answered);
    await watchMarket(account, market);
    return await onMarket(context, market, async () => conclude(market, done));
  } finally {
    end();
  }
}

function preview(screen: Screen, market: string, { open, failure }: OwnOrders, exchange: string): string {
  const entries: Entry[] = [
    ['market', market],
    ...(['buy', 'sell'] as const).map(
      (side): Entry => [
        sideText(side),
        openWords(market, side, open[side]),
        (text, paint) => paintSide(text, side, paint),
      ],
    ),
    ...(failure === null ? [] : [['not read', `older orders: ${failure.message}`] as Entry]),
    ['exchange', exchange],
  ];
  return record(screen, entries);
}

/** It is done where none is left open, also where some filled before they could be cancelled. */
function conclude(market: string, done: CancelledAll): Answer {
  return withFailure(rows(done.attempts, `No open orders in ${market}.`), failureOf(market, done));
}

function failureOf(market: string, { attempts, left, failure }: CancelledAll): Failure | null {
  const unknown = attempts.filter((attempt) => attempt.failure === 'unknown');
  if (unknown.length > 0) return unknownFailure(market, attempts.length, unknown);
  const hint = [suggest('See what is open', 'orders', market), suggest('To go on', 'cancel', market, '--all')];
  if (failure !== null) {
    const isSome = attempts.length === 0 || attempts.some((attempt) => attempt.failure === null);
    const words = `It was not seen whether open orders are left: ${failure.message}`;
    return new Failure(isSome ? 'partial' : (attempts[0]?.failure ?? 'partial'), words, { hint });
  }
  if (left.length === 0) return null;
  const isOpen = new Set(left);
  const first = attempts.find(({ result }) => isOpen.has(result.id ?? ''));
  const closed = attempts.filter(({ result }) => !isOpen.has(result.id ?? '')).length;
  const { message = null, code = null } = first === undefined || first.failure === null ? {} : first.result;
  const words = `${left.length === 1 ? 'An order is' : `${left.length} orders are`} open still${message === null ? '' : `: ${message}`}.`;
  return new Failure(closed > 0 ? 'partial' : (first?.failure ?? 'partial'), words, {
    hint,
    ...(code === null ? {} : { code }),
  });
}
