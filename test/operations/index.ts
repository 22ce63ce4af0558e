import type { OperationName } from '../../src/exchange/operations/index.js';
import type { OperationExample } from './example.js';
import { FUNDS } from './funds.js';
import { MARKET_DATA } from './market-data.js';
import { TRADING } from './trading.js';

/** What each operation is asked and answers. */
export const EXAMPLES: Readonly<Record<OperationName, OperationExample>> = { ...MARKET_DATA, ...FUNDS, ...TRADING };

export const NAMES = Object.keys(EXAMPLES) as OperationName[];
