import { confirm, requireConsent } from '../../cli/consent.js';
import * as shape from '../../cli/shapes.js';
import { Failure } from '../../errors.js';
import { LOSES_STATE } from '../../sandbox/admin/parameters.js';
import type { Context } from '../session/command.js';

export const ENDED = shape.array(
  shape.text(''),
  'what it ended: accounts, orders and balances, and replays of markets',
);

export function wouldEnd(ended: string): string {
  return `Would end ${ended}.`;
}

export function endedLines(ended: readonly string[]): readonly string[] {
  return ended.length === 0 ? [] : [`Ended ${ended.join('; ')}.`];
}

/** A change of the exchange. Another exchange in its place has none of the orders in the journal. */
interface Change<Report> {
  readonly report: Report;
  readonly isReplaced: boolean;
}

/**
 * Changes the exchange, whose clock may show another time then. If orders or balances of customers or a replay would be lost, it
 * asks first. Throws Failure `declined` if that is not confirmed.
 */
export async function confirmingLoss<Report>(
  context: Context,
  change: (force: boolean) => Promise<Change<Report>>,
): Promise<Report> {
  const { report } = await change(false).catch(async (error: unknown) => {
    if (!(error instanceof Failure) || reasonOf(error.cause) !== LOSES_STATE) throw error;
    requireConsent(context);
    await confirm(context, `${error.message} Go on?`);
    const confirmed = await change(true);
    if (confirmed.isReplaced) await context.sandbox.forgetAccounts();
    return confirmed;
  });
  await context.sandbox.forgetMarkets();
  const clock = await context.sandbox.administer('GET /clock');
  await context.sandbox.rememberClock(clock.time);
  return report;
}

function reasonOf(cause: unknown): unknown {
  return cause instanceof Error && 'reason' in cause ? cause.reason : undefined;
}
