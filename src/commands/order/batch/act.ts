import type { Context } from '../../../cli/context.js';
import { timeFor } from '../../../exchange/limiter/limits.js';
import type { Market } from '../../../exchange/market-catalog.js';
import type { Answer } from '../../../terminal/answer.js';
import { grouped } from '../../../terminal/numbers.js';
import type { Screen } from '../../../terminal/screen.js';
import type { TradingAccount } from '../../../trading/account.js';
import {
  type BatchPlan,
  beginJob,
  jobToResume,
  newJobId,
  type ResumeWish,
  refuseTwins,
  takeUpJob,
} from '../../../trading/batches/begin.js';
import { Job, MOST_PAIRS } from '../../../trading/batches/job.js';
import { checkLines } from '../../../trading/batches/lines-check.js';
import { findExtras, watchMarket } from '../../../trading/duplicates/watch.js';
import type { GuardName } from '../../../trading/guards/names.js';
import type { BatchLine, BatchTerms } from '../../../trading/journal/intent.js';
import type { Guarding } from '../../../trading/orders/place.js';
import type { Outlook } from '../../../trading/preview/outlook.js';
import { quietly } from '../../../trading/quietly.js';
import { breachText, confirmGuarded, guardingOf } from '../../guarding.js';
import { exchangeText } from '../../session/exchange-text.js';
import { carryOut } from './carry-out.js';
import { conclude, standOf } from './conclusion.js';
import { dryBatch } from './dry.js';
import type { Wish } from './input.js';
import { resolveLadder } from './ladder-word.js';
import { Surroundings } from './prepare.js';
import { counted, preview } from './preview.js';

type Where = Pick<BatchTerms, 'market' | 'side' | 'account'>;

/** A job that is about to be carried out: what is to be sent. */
interface Deal extends BatchPlan {
  readonly job: string;
  readonly all: BatchPlan['lines'];
  /** What is known of an earlier run. */
  readonly earlier?: string;
  readonly around: Surroundings;
  readonly overridden: readonly GuardName[];
  /** Makes it this process's to carry out. */
  readonly begin: (guarding: Guarding) => Promise<Job>;
}

/** Begins a job with the orders of a file or of a ladder. */
export async function start(
  context: Context,
  where: Where,
  wish: Exclude<Wish, { kind: 'resume' }>,
  overridden: readonly GuardName[],
): Promise<Answer> {
  const account = await context.session.trading();
  const market = await (await context.session.markets()).find(where.market);
  const around = await Surroundings.of(context, account, market, where, overridden);
  const lines = wish.kind === 'lines' ? wish.lines : await ladderLines(context, around.outlook, market, where, wish);
  checkLines(market, lines, wish.kind === 'lines' ? 'Line' : 'Order');
  const job = newJobId(context.host);
  const plan = { ...where, lines };
  refuseTwins(account, plan, job);
  const begin: Deal['begin'] = (guarding) => beginJob(account, plan, job, guarding);
  return act(context, account, market, { ...plan, all: lines, job, around, overridden, begin });
}

/** Goes on with a job where an earlier run ended. */
export async function goOn(
  context: Context,
  id: string,
  wish: ResumeWish,
  overridden: readonly GuardName[],
): Promise<Answer> {
  const account = await context.session.trading();
  const job = new Job(jobToResume(account, id, wish));
  const isFinished = job.doubts.size === 0 && job.unsent().length === 0;
  // in the form of a dry run also where it would send nothing
  if (isFinished && !context.globals.dryRun) return finished(context, account, job);
  const market = await (await context.session.markets()).find(wish.market);
  const around = await Surroundings.of(context, account, market, job.terms, overridden);
  const unsent = new Set(job.unsent());
  const lines = job.terms.lines.filter((_, index) => unsent.has(index));
  const begin: Deal['begin'] = async (guarding) => takeUpJob(account, id, guarding);
  const deal = { ...job.terms, all: job.terms.lines, job: id, lines, earlier: standOf(job), around, overridden, begin };
  return act(context, account, market, deal);
}

/**
 * What became of a job of which nothing is left to send. One whose process was stopped before its last look is looked at
 * now; of a closed one what its requests may have made since.
 */
async function finished(context: Context, account: TradingAccount, job: Job): Promise<Answer> {
  const { id, terms } = job;
  if (account.journal.find(id) !== undefined) return carried(context, account, takeUpJob(account, id));
  const { market, side } = terms;
  if ((await quietly(() => findExtras(account, { market, side }))) === undefined) context.output.warn(UNCHECKED);
  const entry = account.journal.job(id);
  return conclude(entry === undefined ? job : new Job(entry), { kind: 'finished' });
}

async function carried(context: Context, account: TradingAccount, job: Job): Promise<Answer> {
  const { ending, isChecked } = await carryOut(context, account, job);
  if (isChecked === false) context.output.warn(UNCHECKED);
  return conclude(job, ending);
}

async function ladderLines(
  { output }: Context,
  outlook: Outlook,
  market: Market,
  { side }: Where,
  { ladder, total, weight }: Extract<Wish, { kind: 'ladder' }>,
): Promise<readonly BatchLine[]> {
  const { lines, rest } = await resolveLadder(outlook, market, ladder, { side, total, weight });
  if (rest.sign > 0) {
    const words = `${grouped(rest.trimmed().toString())} ${market.base} of ${grouped(total.toString())}`;
    output.note(`Rounding down to whole lots leaves ${words}.`);
  }
  return lines;
}

async function act(context: Context, account: TradingAccount, market: Market, deal: Deal): Promise<Answer> {
  const { globals, output, budget } = context;
  const { overridden, earlier } = deal;
  const exchange = await exchangeText(context, account.client);
  const prepared = await deal.around.prepare(deal);
  const { facts, breaches, warnings } = prepared;
  if (facts === null) {
    for (const warning of warnings) output.warn(warning);
  } else {
    // guards are told with the question, and in a dry run beside the rest
    const guards = globals.dryRun ? breaches.map((breach) => breachText(breach, overridden)) : [];
    const shown = { ...deal, ...{ market, facts, warnings, guards, exchange } };
    const show = (screen: Screen) => preview(screen, shown);
    if (globals.dryRun) return dryBatch(context, account, shown, breaches, overridden, show);
    output.preview(show);
  }
  const question = earlier === undefined ? `Place these ${counted(deal.lines.length, 'order')}?` : 'Go on?';
  await confirmGuarded(context, question, breaches, overridden);
  budget.lengthen(timeFor(Math.ceil(deal.lines.length / MOST_PAIRS)));
  await watchMarket(account, deal.market);
  const job = await deal.begin(await guardingOf(context, account, market.quote, prepared, overridden));
  return carried(context, account, job);
}

const UNCHECKED =
  'It could not be found out whether something on the way repeated a request: hold the list of orders against the answer.';
