import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { schemaViolations } from '../../cli-contract/schema-violations.js';
import { type Ran, runPit, temporaryHome } from '../../support/pit.js';

/** The document of a rehearsal. */
export interface Report {
  readonly tape: { readonly from: string; readonly to: string; readonly documents: number; readonly gaps: number };
  readonly path: string;
  readonly seed: number | null;
  readonly bothExits: { readonly stopped: number; readonly taken: number } | null;
  readonly beyondVolume: readonly { readonly coin: string; readonly amount: string }[];
  readonly orders: number;
  readonly fills: number;
  readonly refused: number;
  readonly fees: readonly { readonly coin: string; readonly amount: string }[];
  readonly realised: string;
  readonly unrealised: string;
  readonly net: string;
  readonly gain: { readonly orders: string; readonly held: string };
  readonly refusedReads: number;
  readonly held: string;
  readonly drawdown: string;
  readonly slippage: string;
  readonly faults: readonly { readonly kind: string; readonly applied: number; readonly executed: number }[];
  readonly pnl: readonly { readonly market: string | null; readonly net: string | null }[];
  readonly algo: {
    readonly state: string;
    readonly reason: string | null;
    readonly events: readonly { readonly event: string; readonly text: string }[];
  } | null;
}

/** When the tapes of `useRehearsals` begin. */
export const START = Date.parse('2026-01-05T00:00:00Z');

/** Rehearsals of a test file in this process, with tapes in a folder of their own. */
export function useRehearsals() {
  const home = temporaryHome();
  const folder = temporaryHome();

  /** A tape of one candle a minute, each at one price. */
  function candles(name: string, prices: readonly number[], volume = '5', market = 'btc_usdt', first = 0): string {
    const file = path.join(folder, name);
    const rows = prices.map((price, minute) => {
      const text = price.toFixed(2);
      const time = new Date(START + (first + minute) * 60_000).toISOString();
      return { market, type: '1min', time, open: text, high: text, low: text, close: text, volume };
    });
    writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    return file;
  }

  function rehearse(words: string, command: string): Promise<Ran> {
    return runPit(['rehearse', ...words.split(' '), '--', ...command.split(' ')], { home });
  }

  async function reportOf(words: string, command: string): Promise<Report> {
    const { code, stdout, stderr } = await rehearse(`${words} --json`, command);
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    const report = JSON.parse(stdout) as Report;
    expect(await schemaViolations('rehearse', report)).toEqual([]);
    return report;
  }

  /** An hour and a half in which the price rises by a hundredth and falls by a twentieth. */
  const HILL = candles(
    'hill.ndjson',
    Array.from({ length: 90 }, (_, minute) => (minute < 30 ? 20_000 + minute * 10 : 20_300 - (minute - 30) * 20)),
  );

  return { home, folder, candles, rehearse, reportOf, HILL };
}
