import { clockTime } from '../exchange/limiter/breaker.js';
import type { TradingAccount } from './account.js';
import { type Probe, toleranceOf } from './tolerance.js';
import { tryRead } from './try-read.js';

const FIRST_PAUSE_MS = 300;
const LONGEST_PAUSE_MS = 5_000;
/**
 * Between the end of the tolerance and the look that counts: the exchange's clock is known to about two seconds, when its
 * tolerance was measured and now.
 */
const SLACK_MS = 5_000;

/** A request that left without an answer. */
interface Lost {
  /** What may be asked to find out for how long the exchange takes it. */
  readonly probe: Probe;
  /** Milliseconds since the Unix epoch, by the exchange's clock, as all moments here. */
  readonly reqTime: number;
}

export interface PollResult<Outcome> {
  readonly settled: Outcome | undefined;
  /** The last moment at which the exchange would still take the request; undefined where that could not be found out. */
  readonly end: number | undefined;
  /** Why the last look proved nothing; undefined where the exchange answered it. */
  readonly unanswered?: string | undefined;
}

/**
 * Looks again and again, ever less often, while the budget lasts. A look gives the outcome, `nothing` where none follows yet,
 * or undefined where the exchange could not be asked. A request that is held on the way can still be executed, so nothing
 * says nothing at first: `late` is asked only after a look that found nothing and began when the exchange would not take
 * the request any more, as itself had just said.
 */
export async function pollUntilSettled<Outcome>(
  account: TradingAccount,
  lost: Lost,
  look: () => Promise<Outcome | 'nothing' | undefined>,
  late: () => Promise<Outcome | undefined>,
): Promise<PollResult<Outcome>> {
  const { client, budget, host } = account;
  const { probe, reqTime } = lost;
  let isTooOld = false;
  for (let count = 0; ; count += 1) {
    isTooOld ||= await isRefusedForItsAge(account, lost);
    const start = host.now();
    const found = await look();
    // the answer to the look corrects what is known of the exchange's clock: before, that may be of a day ago
    const asked = client.now() - Math.max(0, host.now() - start);
    if (found !== 'nothing' && found !== undefined) return { settled: found, end: undefined };
    const tolerance = found === 'nothing' ? await tryRead(() => toleranceOf(account, probe)) : undefined;
    const end = tolerance === undefined ? undefined : endOf(reqTime, tolerance);
    const settled = isTooOld && end !== undefined && asked > end ? await late() : undefined;
    if (settled !== undefined) return { settled, end };
    const usual = pauseBefore(count, end === undefined ? undefined : end - client.now());
    // half of what is left, so that the last look comes near the end
    const pause = Math.min(usual, budget.leftMs / 2);
    const isOver = pause < Math.min(usual, FIRST_PAUSE_MS) || isLockedUntilTheEnd(account);
    if (isOver) return { settled: undefined, end, unanswered: found === 'nothing' ? undefined : whyUnanswered(client) };
    await host.sleep(pause);
  }
}

/**
 * Whether the exchange, asked once the request must be too old for it, refuses its very `reqTime`. What is remembered of
 * its tolerance may be of another day or another node: where it still takes the request that is wrong, and is measured
 * afresh. Asked before a look, so that nothing is executed between them.
 */
async function isRefusedForItsAge(account: TradingAccount, { probe, reqTime }: Lost): Promise<boolean> {
  const { tolerance, client, tell } = account;
  const isOver = () => tolerance.known !== undefined && client.now() > endOf(reqTime, tolerance.known);
  if (!isOver()) return false;
  const isTaken = await tryRead(() => probe(account, reqTime));
  // again: the answer corrects what is known of the exchange's clock, and another one may have been here first
  if (isTaken === true && isOver()) {
    tell("The exchange's time tolerance has changed; measuring it again.");
    await tolerance.forget();
  }
  return isTaken === false;
}

/** Nothing that is asked before the budget ends would be answered. */
function isLockedUntilTheEnd({ client: { lockedUntil }, budget, host }: TradingAccount): boolean {
  return lockedUntil !== undefined && lockedUntil > host.now() + budget.leftMs;
}

function whyUnanswered({ lockedUntil }: TradingAccount['client']): string {
  if (lockedUntil === undefined) return 'no look at the exchange could tell';
  return `the exchange has locked this machine's address until ${clockTime(lockedUntil)}`;
}

/** From when on the outcome can be told for certain, by this machine's clock in ms since the Unix epoch; null where nobody knows. */
export function certainFrom({ client, host }: TradingAccount, end: number | undefined): number | null {
  return end !== undefined && Number.isFinite(end) ? host.now() + (end - client.now()) : null;
}

/** The same of requests that were looked for before, by what is remembered of the exchange's tolerance: of all of them. */
export function allCertainFrom(account: TradingAccount, requests: readonly Pick<Lost, 'reqTime'>[]): number | null {
  const { known } = account.tolerance;
  return known === undefined
    ? null
    : certainFrom(account, endOf(Math.max(...requests.map(({ reqTime }) => reqTime)), known));
}

/** When the exchange would not take a request any more, and its clock says so for certain. */
function endOf(reqTime: number, tolerance: number): number {
  return reqTime + tolerance + SLACK_MS;
}

/** Doubles with each look, and ends with what is waited for. */
function pauseBefore(count: number, untilCertain: number | undefined): number {
  const usual = Math.min(FIRST_PAUSE_MS * 2 ** count, LONGEST_PAUSE_MS);
  return untilCertain !== undefined && untilCertain >= 0 ? Math.min(usual, untilCertain + 1) : usual;
}
