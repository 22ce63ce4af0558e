import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, beforeEach } from 'vitest';
import { signedUrl } from '../../sandbox/signing.js';
import type { Ran } from '../../support/pit.js';
import { listedOrders, orderPageRequest } from '../../support/wire.js';
import { document, type PitHome, usePitHome, useWorldPerTest, WorldHome } from '../pit-home.js';

/** The answer of `pit order batch --json`. */
export interface Batch {
  readonly job: string;
  readonly placed: number;
  readonly refused: number;
  readonly unknown: number;
  readonly notSent: number;
  readonly orders: { line: number; price: string; amount: string; outcome: string; id: string | null }[];
  readonly duplicates: string[];
}

/** A pit with files of orders that never fill: their prices are far below the market. */
export class BatchHome<Pit extends PitHome> {
  #files = 0;
  #range: readonly [from: number, to: number] = [2_000, 2_000];

  constructor(readonly pit: Pit) {}

  /** The first price that the last file was made for. */
  get first(): number {
    return this.#range[0];
  }

  /** The last file. */
  get file(): string {
    return path.join(this.pit.home, `orders-${this.#files}.csv`);
  }

  /** A file of `count` orders at unused prices. */
  orders(count: number, rows: (price: number) => string = (price) => `${price}.50,0.001`): string {
    const start = this.#range[1];
    this.#range = [start, start + Math.max(count, 10)];
    this.#files += 1;
    writeFileSync(this.file, Array.from({ length: count }, (_, index) => rows(start + index)).join('\n'));
    return this.file;
  }

  /** The orders of the exchange at the prices that the last file had, read without pit. */
  async there(): Promise<PlacedOrder[]> {
    const [start, end] = this.#range;
    const orders: PlacedOrder[] = [];
    for (let page = 1; ; page += 1) {
      const listed = await this.#page(page);
      for (const { id, price, amount, state } of listed) {
        if (price < start || price >= end) continue;
        orders.push({ id, price: price.toFixed(2), amount: amount.toFixed(6), state });
      }
      if (listed.length < PAGE) return orders;
    }
  }

  async #page(page: number) {
    const { address } = this.pit.served;
    const parameters = orderPageRequest({ market: 'btc_usdt', page, perPage: PAGE });
    const url = (now?: number) => signedUrl(address, address, 'getOrdersIgnoreTradeType', parameters, now);
    const { pit } = this;
    const answer = await (pit instanceof WorldHome
      ? pit.world.fetch(url(pit.world.clock.now()))
      : (await fetch(url())).text());
    return listedOrders(answer);
  }
}

/** The largest page that the exchange answers. */
const PAGE = 100;

interface PlacedOrder {
  readonly id: string;
  readonly price: string;
  readonly amount: string;
  readonly state: 'open' | 'closed';
}

/** A pit in a world of its own for each test. */
export function useBatchHome(): BatchHome<WorldHome> {
  const pit = useWorldPerTest({ tolerance: 4_000 });
  beforeEach(() => prepare(pit));
  return new BatchHome(pit);
}

/** A pit with a sandbox that other processes reach, for a test file. */
export function useServedBatchHome(): BatchHome<PitHome> {
  // a minute otherwise; nothing holds requests here
  const pit = usePitHome(['--no-limits', '--limit', 'reqTime=4s']);
  beforeAll(() => prepare(pit));
  beforeEach(() => pit.done('sandbox fault clear'));
  return new BatchHome(pit);
}

async function prepare(pit: PitHome): Promise<void> {
  // the orders are far from the market, so that they never fill
  await pit.done('profile set sandbox priceBand 100%');
  await pit.done('profile set sandbox reqTimeTolerance 4s');
}

export function batch({ stdout }: Ran): Batch {
  return document<Batch>(stdout);
}
