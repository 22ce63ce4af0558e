import type { Context } from '../command.js';
import type { Tool } from './tool.js';

/** What `pit mcp --allow-trading` allows. */
export interface TradingTerms {
  readonly commit: 'ask' | 'unattended';
  readonly markets: readonly string[] | undefined;
  /** Amounts by quote coin, as settings keep them: `100usdt,0.01btc`. */
  readonly maxOrder: string | undefined;
  readonly maxDay: string | undefined;
  readonly maxOpen: number | undefined;
}

/** The tools that may change something. They are listed only with `--allow-trading`. */
export function tradingTools(_context: Context, _terms: TradingTerms): readonly Tool[] {
  return [];
}
