import type { Breach, Evidence, ReportedOutcome } from '../action.js';
import type { Listed } from '../exchange.js';

/**
 * Ids of orders of refused lines that a repetition of the request placed after pit had all its replies and had
 * read the list, so that it could not know them. Other commands read the same list: of the reads after the replies, the first
 * may be its own.
 */
export function doneLater(
  reported: ReportedOutcome,
  output: { readonly orders: readonly { readonly outcome: string }[] } | undefined,
  orders: readonly (readonly Listed[])[],
  { listings, writes, run }: Evidence,
): ReadonlySet<string> {
  const replies = writes.filter(({ time }) => time <= run.ended).map(({ replied }) => replied ?? run.ended);
  const replied = Math.max(...replies.filter((time) => time <= run.ended));
  const reads = listings.flatMap(({ executions }) => executions.map(({ begun }) => begun));
  // on a busy machine no list may be read in time, which pit says
  const isUnchecked = /could not check/.test(run.stderr);
  const seen = isUnchecked ? Number.NEGATIVE_INFINITY : Math.min(run.ended, ...reads.filter((time) => time >= replied));
  const late = orders.filter((own, index) => {
    const isRefused = output === undefined ? reported === 'refused' : output.orders[index]?.outcome === 'refused';
    return isRefused && own.every(({ time }) => time >= seen);
  });
  return new Set(late.flat().map(({ id }) => id));
}

/** Ids of orders of a killed run, which could not report whether its request was repeated after a refusal. */
export function unreportedRepetitions(
  reported: ReportedOutcome,
  orders: readonly (readonly Listed[])[],
  { writes }: Evidence,
): string[] {
  const ids = new Set(writes.flatMap(({ executions }) => executions.slice(1).flatMap(idsIn)));
  const own = orders.flat().map(({ id }) => id);
  return reported === 'killed' ? own.filter((id) => ids.has(id)) : [];
}

/** Ids of orders that were placed after the network had refused their request: pit warns that they are live, and counts them. */
export function executedAfterRefusal({ writes }: Evidence): string[] {
  const refused = writes.filter(({ treatment }) => treatment.startsWith('refused'));
  return refused.flatMap(({ executions, replied = Number.POSITIVE_INFINITY }) =>
    executions.filter(({ begun }) => begun > replied).flatMap(idsIn),
  );
}

function idsIn({ answer = '' }: { readonly answer?: string | undefined }): string[] {
  return /"data":\[([\d,]*)/.exec(answer)?.[1]?.split(',') ?? [];
}

/** A later command must report that the order exists after all. */
export function reportedLater(late: ReadonlySet<string>, named: readonly string[]): Breach[] {
  return [...late].every((id) => named.includes(id)) ? [] : ['done after a refusal, and never reported'];
}
