import type { Market } from '../../../client/market-catalog.js';
import { paceOf } from '../../../client/pace.js';
import type { Answer } from '../../../terminal/answer.js';
import { grouped } from '../../../terminal/numbers.js';
import type { Screen } from '../../../terminal/screen.js';
import type { TradingAccount } from '../../../trading/account.js';
import { beginJob, jobToResume, newJobId, type ResumeWish, takeUpJob } from '../../../trading/batch/begin.js';
import { batchValues } from '../../../trading/batch/courier.js';
import { Job, MOST_PAIRS } from '../../../trading/batch/job.js';
import { checkLines } from '../../../trading/batch/lines-check.js';
import { watchMarket } from '../../../trading/duplicates/watch.js';
import type { BatchLine, BatchTerms } from '../../../trading/journal/intent.js';
import { confirm } from '../../frame/consent.js';
import type { Context } from '../../frame/context.js';
import { dryRun } from '../../frame/dry-run.js';
import { carryOut } from './carry-out.js';
import { conclude, standOf } from './conclusion.js';
import type { Wish } from './input.js';
import { resolveLadder } from './ladder-word.js';
import { counted, preview, summaryOf } from './preview.js';

type Where = Pick<BatchTerms, 'market' | 'side' | 'account'>;

/** A job that is about to be carried out. */
interface Deal extends Where {
  readonly job: string;
  /** What is to be sent. */
  readonly lines: readonly BatchLine[];
  /** What is known of an earlier run. */
  readonly earlier?: string;
  /** Makes it this process's to carry out. */
  readonly begin: () => Promise<Job>;
}

/** Begins a job with the orders of a file or of a ladder. */
export async function start(context: Context, where: Where, wish: Exclude<Wish, { kind: 'resume' }>): Promise<Answer> {
  const account = await context.session.trading();
  const market = await (await context.session.markets()).find(where.market);
  const lines = wish.kind === 'lines' ? wish.lines : await ladderLines(context, account, market, where, wish);
  checkLines(market, lines, wish.kind === 'lines' ? 'Line' : 'Order');
  const job = newJobId(context.host);
  const begin = () => beginJob(account, { ...where, lines }, job);
  return act(context, account, market, { ...where, job, lines, begin });
}

/** Goes on with a job where an earlier run ended. */
export async function goOn(context: Context, id: string, wish: ResumeWish): Promise<Answer> {
  const account = await context.session.trading();
  const job = new Job(jobToResume(account, id, wish));
  if (job.doubts.size === 0 && job.unsent().length === 0) return conclude(job, { kind: 'finished' });
  const market = await (await context.session.markets()).find(wish.market);
  const unsent = new Set(job.unsent());
  const lines = job.terms.lines.filter((_, index) => unsent.has(index));
  const begin = async () => takeUpJob(account, id);
  return act(context, account, market, { ...job.terms, job: id, lines, earlier: standOf(job), begin });
}

async function ladderLines(
  { output }: Context,
  { client }: TradingAccount,
  market: Market,
  { side }: Where,
  { ladder, total, weight }: Extract<Wish, { kind: 'ladder' }>,
): Promise<readonly BatchLine[]> {
  const { lines, rest } = await resolveLadder(client, market, ladder, { side, total, weight });
  if (rest.sign > 0) {
    const words = `${grouped(rest.trimmed().toString())} ${market.base} of ${grouped(total.toString())}`;
    output.note(`Rounding down to whole lots leaves ${words}.`);
  }
  return lines;
}

async function act(context: Context, account: TradingAccount, market: Market, deal: Deal): Promise<Answer> {
  const { globals, output, session, budget } = context;
  const { profile } = await session.connection();
  const exchange = `${account.client.hosts.tradeUrl} (profile ${profile})`;
  const { base, quote } = market;
  const show = (screen: Screen) => preview(screen, { ...deal, base, quote, exchange });
  if (globals.dryRun) return dry(context, account, deal, show);
  // guards are held against deal.lines here, before anybody is asked
  if (!globals.yes) output.preview(show);
  await confirm(context, deal.earlier === undefined ? `Place these ${counted(deal.lines.length, 'order')}?` : 'Go on?');
  budget.lengthen(paceOf('key', Math.ceil(deal.lines.length / MOST_PAIRS)));
  await watchMarket(account, deal.market);
  const job = await deal.begin();
  const { ending, isChecked } = await carryOut(context, account, job);
  if (isChecked === false) output.warn(UNCHECKED);
  return conclude(job, ending);
}

const UNCHECKED =
  'It could not be found out whether something on the way repeated a request: hold the list of orders against the answer.';

function dry(context: Context, { client }: TradingAccount, deal: Deal, show: (screen: Screen) => string): Answer {
  const { lowest, highest, ...sums } = summaryOf(deal.lines);
  const first = deal.lines.slice(0, MOST_PAIRS).map((_, index) => index);
  const price = lowest === highest ? lowest : null;
  const figures = { price, amount: sums.amount, notional: sums.notional, fee: null, warnings: [] };
  const more = { orders: sums.orders, requests: sums.requests, lowest, highest };
  return dryRun(context, client, 'orderMoreV2', batchValues(deal, first), { ...figures, ...more }, show);
}
