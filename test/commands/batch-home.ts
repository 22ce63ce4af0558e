import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, beforeEach } from 'vitest';
import type { Ran } from '../support/pit.js';
import type { OrderRow } from './order-rows.js';
import { document, type PitHome, usePitHome } from './pit-home.js';

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
export class BatchHome {
  #files = 0;
  #range: readonly [from: number, to: number] = [2_000, 2_000];

  constructor(readonly pit: PitHome) {}

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

  /** The orders of the exchange at the prices that the last file had. */
  async there(): Promise<OrderRow[]> {
    const [start, end] = this.#range;
    const all = await this.pit.json<OrderRow[]>('orders btc_usdt --side buy --state all --all');
    return all.filter(({ price }) => Number(price) >= start && Number(price) < end);
  }
}

/** A pit with its own sandbox, for a test file. */
export function useBatchHome(): BatchHome {
  // a minute otherwise; nothing holds requests here
  const pit = usePitHome(['--no-limits', '--limit', 'reqTime=4s']);
  beforeAll(() => pit.done('markets'));
  beforeEach(() => pit.done('sandbox fault clear'));
  return new BatchHome(pit);
}

export function batch({ stdout }: Ran): Batch {
  return document<Batch>(stdout);
}
