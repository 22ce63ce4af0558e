import { describe, expect, it } from 'vitest';
import { promptText } from '../../../src/commands/shell/prompt.js';
import { terminal } from '../../terminal/screens.js';

const STATE = { profile: 'sandbox', market: 'btc_usdt', exitCode: 0, halted: null };

describe('the prompt of the shell', () => {
  it('shows the last price with its direction while it is current', () => {
    const price = { last: '29031.50', direction: 'up', ageMs: 400, isCurrent: true } as const;
    expect(promptText(terminal(80), { ...STATE, price })).toBe('sandbox btc_usdt 29,031.50 ▲ > ');
  });

  it.each([
    [2_000, '3 s'],
    [2_400, '3 s'],
    [12_600, '14 s'],
    [300_000, '6 min'],
  ])('shows a price that is not current with an age that it does not exceed: %i ms as %s', (ageMs, text) => {
    const price = { last: '29031.50', direction: 'same', ageMs, isCurrent: false } as const;
    expect(promptText(terminal(80), { ...STATE, price })).toBe(`sandbox btc_usdt 29,031.50 (${text} old) > `);
  });

  it('shows that the account is halted, with the reason where there is room for it', () => {
    const state = { ...STATE, price: undefined };
    expect(promptText(terminal(80), { ...state, halted: 'news' })).toBe('sandbox HALTED (news) btc_usdt > ');
    expect(promptText(terminal(80), { ...state, halted: '' })).toBe('sandbox HALTED btc_usdt > ');
    expect(promptText(terminal(60), { ...state, halted: 'a reason that is long' })).toBe('sandbox HALTED btc_usdt > ');
    expect(promptText(terminal(36), { ...state, halted: 'news' })).toBe('sandbox HALTED > ');
  });

  it('says less on a narrow terminal, and shows the exit code of the last command', () => {
    expect(promptText(terminal(30), { ...STATE, exitCode: 3, price: undefined })).toBe('[3] sandbox > ');
  });
});
