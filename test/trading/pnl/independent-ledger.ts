import { Decimal } from '../../../src/domain/decimal.js';
import type { BillRecord } from '../../../src/sandbox/accounts/bills.js';
import type { Method } from '../../../src/trading/pnl/lots.js';
import { coinsOf, MARKETS } from './trading-days.js';

/** In units of 10^-8. */
export interface ExpectedLot {
  readonly market: string;
  readonly opened: number | null;
  readonly closed: number;
  readonly amount: bigint;
  readonly cost: bigint | null;
  readonly proceeds: bigint;
}

interface Trade {
  readonly market: string;
  readonly isBuy: boolean;
  readonly time: number;
  readonly amount: bigint;
  readonly value: bigint;
  baseFee: bigint;
  quoteFee: bigint;
}

export function units(text: string): bigint {
  return Decimal.of(text).rescaled(8, 'down').units;
}

/** The trades of an account by the sandbox's own kinds of bills, which the interface does not show. */
function tradesOf(bills: readonly BillRecord[]): Trade[] {
  const trades: Trade[] = [];
  const values: Record<string, BillRecord[]> = { buy: [], sell: [] };
  for (const bill of bills) {
    const change = units(bill.change);
    const isValue = (bill.kind === 'buy' && change < 0n) || (bill.kind === 'sell' && change > 0n);
    if (bill.kind === 'fee') {
      // an account that trades with itself pays the buyer's fee first
      const payer = trades.findLast(
        ({ market, isBuy, time, baseFee, quoteFee }) =>
          time === bill.time && bill.coin === coinsOf(market)[isBuy ? 'base' : 'quote'] && baseFee + quoteFee === 0n,
      );
      if (payer === undefined) throw new Error(`a fee without a trade: ${bill.id}`);
      payer[payer.isBuy ? 'baseFee' : 'quoteFee'] -= change;
    } else if (isValue) values[bill.kind]?.push(bill);
    else if (bill.kind === 'buy' || bill.kind === 'sell') {
      const value = values[bill.kind]?.pop();
      const market = MARKETS.find((name) => coinsOf(name).base === bill.coin && coinsOf(name).quote === value?.coin);
      if (value === undefined || market === undefined) throw new Error(`half a trade: ${bill.id}`);
      const [amount, paid] = [change < 0n ? -change : change, units(value.change)];
      trades.push({
        ...{ market, isBuy: bill.kind === 'buy', time: bill.time, amount },
        ...{ value: paid < 0n ? -paid : paid, baseFee: 0n, quoteFee: 0n },
      });
    }
  }
  return trades;
}

interface Held {
  readonly opened: number | null;
  amount: bigint;
  cost: bigint;
}

/** The lots that an account has closed, computed in whole numbers by the rules of the documentation. */
export function expectedLots(bills: readonly BillRecord[], method: Method): ExpectedLot[] {
  const lots: ExpectedLot[] = [];
  for (const market of MARKETS) {
    let held: Held[] = [];
    for (const { isBuy, time, amount, value, baseFee } of tradesOf(bills).filter((trade) => trade.market === market)) {
      if (isBuy) {
        held.push({ opened: time, amount: amount - baseFee, cost: value - (value * baseFee) / amount });
        if (method === 'average') {
          const sum = (of: 'amount' | 'cost') => held.reduce((total, lot) => total + lot[of], 0n);
          held = [{ opened: null, amount: sum('amount'), cost: sum('cost') }];
        }
        continue;
      }
      let [left, worth] = [amount, value];
      while (left > 0n) {
        const lot = method === 'lifo' ? held.at(-1) : held[0];
        const part = lot === undefined || lot.amount > left ? left : lot.amount;
        const proceeds = (worth * part) / left;
        const cost = lot === undefined ? null : (lot.cost * part) / lot.amount;
        lots.push({ market, opened: lot?.opened ?? null, closed: time, amount: part, cost, proceeds });
        left -= part;
        worth -= proceeds;
        if (lot === undefined) continue;
        lot.amount -= part;
        lot.cost -= cost ?? 0n;
        held = held.filter((one) => one.amount > 0n);
      }
    }
  }
  return lots;
}
