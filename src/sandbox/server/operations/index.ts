import type { Served } from '../served-operation.js';
import { ACCOUNT } from './account.js';
import { FUNDS } from './funds.js';
import { MARKET_DATA } from './market-data.js';
import { TRADING } from './trading.js';

/** The operations that the sandbox serves. */
export const SERVED: readonly Served[] = [...MARKET_DATA, ...ACCOUNT, ...FUNDS, ...TRADING];
