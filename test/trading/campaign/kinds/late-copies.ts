import type { Breach, Evidence, Said } from '../action.js';
import type { Listed } from '../exchange.js';

/**
 * Ids of orders of lines that were refused, which a copy of the request made when pit had heard of all its requests and had
 * looked at the list for the last time: nobody can know that when it is said.
 */
export function doneLater(
  said: Said,
  told: { readonly orders: readonly { readonly outcome: string }[] } | undefined,
  orders: readonly (readonly Listed[])[],
  { listings, writes, run }: Evidence,
): ReadonlySet<string> {
  const looked = listings.flatMap(({ executions }) => executions.map(({ begun }) => begun));
  const heard = writes.filter(({ time }) => time <= run.ended).map(({ replied }) => replied ?? run.ended);
  const seen = Math.max(...[...looked, ...heard].filter((time) => time <= run.ended));
  const late = orders.filter((those, index) => {
    const isRefused = told === undefined ? said === 'refused' : told.orders[index]?.outcome === 'refused';
    return isRefused && those.every(({ time }) => time >= seen);
  });
  return new Set(late.flat().map(({ id }) => id));
}

/** Ids of orders of a run that was killed, and so did not say whether a copy of its request came after a refusal. */
export function repeatedUnsaid(said: Said, orders: readonly (readonly Listed[])[], { writes }: Evidence): string[] {
  const again = writes.flatMap(({ executions }) => executions.slice(1).map(({ answer = '' }) => answer));
  const ids = new Set(again.flatMap((answer) => /"data":\[([\d,]*)/.exec(answer)?.[1]?.split(',') ?? []));
  const those = orders.flat().map(({ id }) => id);
  return said === 'killed' ? those.filter((id) => ids.has(id)) : [];
}

/** A later command tells that there is an order after all. */
export function toldLater(late: ReadonlySet<string>, named: readonly string[]): Breach[] {
  return [...late].every((id) => named.includes(id)) ? [] : ['done after it was refused, and never told'];
}
