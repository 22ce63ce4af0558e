import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import { type Assessment, PREVIEW_VALID_MS, reasonToAskAgain } from '../../../src/trading/preview/ask-again.js';
import type { PreviewData } from '../../../src/trading/preview/preview.js';
import { MARKET } from '../support/market.js';

function reading(changes: Partial<Assessment> = {}): Assessment {
  const plan = { market: MARKET, side: 'buy', type: 'limit', account: 'spot' } as const;
  const orders = [{ price: '100', amount: '1' }];
  return {
    plan: { ...plan, orders },
    preview: facts('1', '99'),
    breaches: [],
    warnings: [],
    bestBid: undefined,
    ...changes,
  };
}

function facts(amount: string, value: string, crossing = 1): PreviewData {
  const unknown = { bid: null, ask: null, reference: null, fee: null, balance: null };
  const fills = { amount: Decimal.of(amount), value: Decimal.of(value), atLeast: false };
  return { ...unknown, fills, crossing };
}

function priced(price: string): Assessment {
  const { plan } = reading();
  return reading({ plan: { ...plan, orders: [{ price, amount: '1' }] } });
}

const BAND = { guard: 'price-band', message: '', failure: null } as const;
const LIMIT = { ...BAND, guard: 'order-notional' } as const;

/** With nothing else changed. */
function reason(changes: {
  shown?: Assessment;
  afterReply?: Assessment;
  current?: Assessment;
  ageMs?: number;
}): string | undefined {
  const shown = changes.shown ?? reading();
  return reasonToAskAgain({ shown, afterReply: shown, current: shown, ageMs: 0, ...changes });
}

describe('confirmed orders', () => {
  it('confirmed orders may be sent if nothing has changed, however old the preview is', () => {
    expect(reason({})).toBeUndefined();
    expect(reason({ ageMs: 3_600_000 })).toBeUndefined();
  });

  it('shows orders again if a guard blocks them that the user did not override', () => {
    expect(reason({ afterReply: reading({ breaches: [BAND, LIMIT] }) })).toBe(
      'price-band and order-notional now block this.',
    );
    const shown = reading({ breaches: [BAND] });
    expect(reason({ shown, afterReply: reading({ breaches: [BAND, LIMIT] }) })).toBe('order-notional now blocks this.');
    expect(reason({ shown, afterReply: reading({ breaches: [BAND] }) })).toBeUndefined();
  });

  it('shows orders again for a warning about something new, not for other numbers in one that was shown', () => {
    const short = (needs: string) => reading({ warnings: [{ about: 'balance', text: `This needs ${needs}.` }] });
    expect(reason({ afterReply: short('5 usdt') })).toBe('This needs 5 usdt.');
    expect(reason({ shown: short('5 usdt'), afterReply: short('6 usdt') })).toBeUndefined();
  });

  it('shows orders again from ten seconds on if their expressions evaluate to other terms, or if they fill differently', () => {
    expect(PREVIEW_VALID_MS).toBe(10_000);
    const ageMs = 10_001;
    for (const changes of [
      { current: priced('101') },
      { afterReply: reading({ preview: facts('0.5', '49.5') }) },
      { afterReply: reading({ preview: facts('1', '98') }) },
      { afterReply: reading({ preview: facts('1', '99', 2) }) },
      { afterReply: reading({ preview: null }) },
    ]) {
      expect(reason({ ...changes, ageMs })).toMatch(/^The preview was 10 s old, and /);
      expect(reason({ ...changes, ageMs: 10_000 })).toBeUndefined();
    }
  });
});
