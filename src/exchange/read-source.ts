import type { Budget } from './budget.js';
import type { ExchangeClient } from './exchange-client.js';

/** The part of a client that lists are read with. */
export type ReadSource = Pick<ExchangeClient, 'read' | 'now'>;

/** The same client, with the whole time there again after each answer: work of any length is not cut while it gets further. */
export function renewing(client: ReadSource, budget: Budget): ReadSource {
  return {
    now: () => client.now(),
    read: async (name, values) => {
      const answer = await client.read(name, values);
      budget.renew();
      return answer;
    },
  };
}
