import type { PtyStep } from '../../support/pty.js';

// Each question of a guided order once it stands there, and an answer to it.

export const MARKET: PtyStep[] = [
  { await: 'navigate', type: 'btc/us' },
  { await: 'Market: btc/us', type: '\r' },
];
export const SIDE: PtyStep = { await: 'Buy or sell btc?', type: '\r' };
export const AMOUNT: PtyStep = { await: 'How much btc to buy:', type: '0.01\r' };
export const PRICE: PtyStep = { await: 'ask ', type: '20000\r' };
export const TYPE: PtyStep = { await: 'Type:', type: '\r' };
export const CONFIRM: PtyStep = { await: '[y/N]', type: 'y\r' };
