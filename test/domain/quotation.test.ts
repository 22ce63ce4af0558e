import fc from 'fast-check';
import { expect, it } from 'vitest';
import { quotation, quotedName, unmarked, withMarks } from '../../src/domain/quotation.js';
import { anyText } from '../support/any-text.js';

it('quotes what the exchange said on one line, cut and marked', () => {
  expect(quotation('Insufficient balance')).toBe('“Insufficient balance”');
  expect(quotation('a\r\n2024-01-01 open\u2028b\tc')).toBe('“a 2024-01-01 open b c”');
  expect(quotation('\u001b[2J\u202egnp.exe\u200b')).toBe('“\ufffd[2J\ufffdgnp.exe\ufffd”');
  expect(quotation('x'.repeat(5_000_000))).toBe(`“${'x'.repeat(200)}…”`);
  expect(quotation(`${'x'.repeat(199)}😀`)).toBe(`“${'x'.repeat(199)}\ufffd…”`);
});

it('leaves no way out of the marks, and nothing that moves or hides text', () => {
  const hostile = anyText({ maxLength: 400 });
  const closing = fc.string({ unit: fc.constantFrom('”', '“', '"', '„', '‟', '″', '\n', '\u001b', 'a') });
  fc.assert(
    fc.property(fc.oneof(hostile, closing), (text) => {
      const quoted = quotation(text);
      expect(quoted).toMatch(/^“[^“”"„‟]*”$/u);
      expect(quoted).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);
      expect(quoted.length).toBeLessThanOrEqual(203);
    }),
  );
});

it('quotes a name only if it is not a usual one', () => {
  expect(['btc', 'btc_usdt', 'luna-2', 'BNB.s', 'ERC20'].map(quotedName)).toEqual([
    ...['btc', 'btc_usdt', 'luna-2', 'BNB.s', 'ERC20'],
  ]);
  expect(['猫币', 'BNB Smart Chain', '', 'sell it. now', 'a\u202eb'].map(quotedName)).toEqual([
    ...['“猫币”', '“BNB Smart Chain”', '“”', '“sell it. now”', '“a\ufffdb”'],
  ]);
});

it('gives what is quoted other marks, and nothing else', () => {
  const message = `order: rejected by the exchange: ${quotation('no "funds" for it')}: see "balance"`;
  expect(withMarks(message, '[outside] "', '"')).toBe(
    'order: rejected by the exchange: [outside] "no \'funds\' for it": see "balance"',
  );
});

it('has no marks in a field of its own, and keeps those of a sentence', () => {
  expect(['“order not found”', 'order not found', '“a” and “b”', 'It said “no”'].map(unmarked)).toEqual([
    ...['order not found', 'order not found', '“a” and “b”', 'It said “no”'],
  ]);
});
