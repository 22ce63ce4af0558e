import { Failure, Interrupted } from '../../../src/errors.js';
import { systemHost } from '../../../src/platform/host.js';
import { Prompts } from '../../../src/terminal/prompts.js';

/** Asks one question of the kind that its argument names, and prints what came of it as JSON. */
const prompts = new Prompts(systemHost());

/** Counts how often the words below a live question were read anew. */
let looks = 0;

const KINDS: Record<string, () => Promise<unknown>> = {
  confirm: () => prompts.confirm('Place it?'),
  hidden: () => prompts.hidden('Secret key:'),
  text: () =>
    prompts.text('Amount:', { validate: (text) => /^\d+$/.test(text) || 'An amount is a number, such as 0.5.' }),
  typing: () => prompts.confirmTyping('Type price-band:', 'price-band'),
  live: () =>
    prompts.live('Price:', {
      below: (typed, wrong) => `look ${looks}: ${wrong ?? `means <${typed}>`}`,
      check: (typed) => /^\d+$/.test(typed) || 'only digits',
      refresh: async () => {
        looks += 1;
      },
    }),
  search: () =>
    prompts.search('Market:', async (typed) =>
      ['btc_usdt', 'eth_usdt', 'ltc_usdt']
        .filter((market) => market.includes(typed))
        .map((market) => ({ name: `${market} 100`, value: market, short: market })),
    ),
  select: () =>
    prompts.select('Side:', [
      { name: 'buy', value: 'BUY' },
      { name: 'sell', value: 'SELL' },
    ]),
};

try {
  const answer = await KINDS[process.argv[2] ?? '']?.();
  process.stdout.write(JSON.stringify({ answer }));
} catch (error) {
  if (!(error instanceof Failure || error instanceof Interrupted)) throw error;
  process.stdout.write(JSON.stringify({ [error.name]: error instanceof Failure ? error.kind : error.signal }));
  process.exitCode = error.exitCode;
}
