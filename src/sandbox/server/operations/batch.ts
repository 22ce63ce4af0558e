import { Refusal } from '../../refusals.js';
import { partlyPlaced, SUCCESS } from '../choices.js';
import { codeOf } from '../families.js';
import { numbers } from '../json.js';
import { marketOf, signedly } from '../serving.js';
import { sideOf } from './order-record.js';
import { walletOf } from './wallet.js';

/**
 * Places one limit order for each pair, in the order of the pairs. A pair that is refused does not keep the others from
 * being placed. The ids are JSON numbers of more digits than a double holds, as the interface types them.
 * What is answered when pairs are refused is chosen: see {@link partlyPlaced}.
 */
export const orderMoreV2 = signedly('orderMoreV2', (values, { exchange, account }) => {
  const { market } = marketOf(exchange, values.market);
  const side = sideOf(values.tradeType);
  const pairs = pairsOf(values.tradeParams);
  const wallet = walletOf(account, values);
  const ids: string[] = [];
  const refusals: Refusal[] = [];
  for (const [price, amount] of pairs) {
    try {
      ids.push(exchange.place(account, { market, side, type: 'limit', price, amount, ...wallet }));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refusals.push(error);
    }
  }
  const [first] = refusals;
  if (first !== undefined && ids.length === 0) throw first;
  const { code, message } = first === undefined ? SUCCESS : partlyPlaced(ids.length, pairs.length, first);
  return { code: codeOf('orderMoreV2', code), message, data: numbers(ids) };
});

/** The pairs of a text that was checked already; each number stays the text that was sent. */
function pairsOf(text: string): [price: string, amount: string][] {
  return Array.from(text.matchAll(/\[([\d.]+),([\d.]+)\]/g), ([, price = '', amount = '']) => [price, amount]);
}
