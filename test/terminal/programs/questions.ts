import type { Prompts } from '../../../src/terminal/asking/prompts.js';

/** A question of each kind. */
export function questions(prompts: Prompts): Readonly<Record<string, () => Promise<unknown>>> {
  // how often the text below a live question was updated
  let updates = 0;
  return {
    confirm: () => prompts.confirm('Place it?'),
    hidden: () => prompts.hidden('Secret key:'),
    text: () =>
      // with what an exchange may have sent
      prompts.text('Amount:', {
        validate: (text) => /^\d+$/.test(text) || 'An amount is a number, \u001b]0;title\u0007 such as 0.5.',
      }),
    typing: () => prompts.confirmTyping('Type price-band:', 'price-band'),
    live: () =>
      prompts.live('Price:', {
        below: (typed, wrong) => `update ${updates}: ${wrong ?? `means <${typed}>`}`,
        check: (typed) => /^\d+$/.test(typed) || 'only digits',
        refresh: async () => {
          updates += 1;
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
}
