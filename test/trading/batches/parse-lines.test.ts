import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import { checkLines, refuseGroupedRows } from '../../../src/trading/batches/check-lines.js';
import { parseLines } from '../../../src/trading/batches/parse-lines.js';
import { saying } from '../../support/advice.js';
import { MARKET } from '../support/market.js';

describe('a file of orders', () => {
  it.each([
    ['lines', '31000.50,0.01\n31001,0.0200\n'],
    ['lines without an end', '31000.50,0.01\n31001,0.0200'],
    ['Windows lines', '31000.50,0.01\r\n31001,0.0200\r\n'],
    ['old Macintosh lines', '31000.50,0.01\r31001,0.0200\r'],
    ['spaces and quotes', ' 31000.50 , "0.01"\n"31001",\t0.0200 \n'],
    ['JSON', '{"price":31000.50,"amount":0.01}\n{"amount":"0.0200","price":"31001"}'],
    ['both', '{"price":"31000.50","amount":1e-2}\n31001,0.0200'],
  ])('reads orders from %s', (_, text) => {
    expect(parseLines(text).lines).toEqual([
      [1, '31000.50', '0.01'],
      [2, '31001', '0.0200'],
    ]);
  });

  it('reads numbers with an exponent in plain digits, and names the line of one that is too long', () => {
    expect(parseLines('3.10005e+04,1.0E-2\n{"price":"3.1001E4","amount":2e-02}').lines).toEqual([
      [1, '31000.5', '0.01'],
      [2, '31001', '0.02'],
    ]);
    const hints = [expect.stringContaining('exponent')];
    expect(() => parseLines('31000,1e-40')).toThrow(
      expect.objectContaining({ message: 'Line 1: "1e-40" is not a valid amount. Nothing was sent.', hints }),
    );
  });

  it('keeps every digit that a double would change', () => {
    expect(parseLines('{"price":0.1234567890123456789,"amount":12345678901234567.10}').lines).toEqual([
      [1, '0.1234567890123456789', '12345678901234567.10'],
    ]);
  });

  it('accepts a byte order mark, a header, and comments and empty lines, which count as lines', () => {
    const text = '\ufeff# mine\r\n\r\nPrice, Amount\r\n31000,0.01\r\n  \r\n# the next\r\n31001,0.02\r\n';
    expect(parseLines(text).lines).toEqual([
      [4, '31000', '0.01'],
      [7, '31001', '0.02'],
    ]);
  });

  it.each([
    ['', /no orders/],
    ['price,amount\n', /no orders/],
    ['31000', /Line 1: "31000" is not a price, a comma and an amount/],
    ['31000,0.01,5', /Line 1/],
    ['31000;0.01', /Line 1/],
    ['{"price":31000}', /Line 1: .* lacks a price or an amount\./],
    ['{"amount":0.01}', /Line 1: .* lacks a price or an amount\./],
    ['31000,0.01\nprice,amount', /Line 2: "price" is not a valid price/],
    ['amount,price\n0.01,31000', /Line 1: "amount" is not a valid price/],
    ['1,000.00,0.01', /Line 1/],
    ['-5,0.01', /Line 1: "-5" is not a valid price/],
    ['0,0.01', /Line 1: "0" is not a valid price/],
    ['31000,0', /Line 1: "0" is not a valid amount/],
    ['0x10,1', /Line 1/],
    ['NaN,1', /Line 1/],
    ['bid-5,0.01', /Line 1: The price "bid-5" does not work in a file/],
    ['31000,50%', /Line 1: The amount "50%" does not work in a file/],
    ['{"price":31000}', /Line 1: .* lacks a price or an amount/],
    ['{"price":31000,"amount":null}', /Line 1: .* lacks/],
    ['{"price":31000,"amount":0.01,"side":"sell"}', /Line 1: An order has no field "side"/],
    ['{"price":31000,"amount":0.01', /Line 1: .* not readable as JSON/],
    ['{"price":1,"amount":1}{"price":1,"amount":1}', /Line 1/],
    ['5,1\nx,1\n5,1\n5,y\n5\n5,1,1\n{}', /Line 2: .* Line 4: .* Line 5: .* And 2 more\. Nothing was sent\./],
  ])('rejects a file with the numbers of the wrong lines: %j', (text, message) => {
    const error = { kind: 'usage', message: expect.stringMatching(message), hints: saying(/./) };
    expect(() => parseLines(text)).toThrow(expect.objectContaining(error));
  });

  it('checks the orders against the scales and minimums of the market, with their own line numbers', () => {
    const { lines } = parseLines(
      '# prices\n31000.00,0.0010\n31000.001,0.01\n31000,0.00001\n31000,0.0009\n1000,0.001\n',
    );
    const message = expect.stringMatching(
      /^Line 3: The price 31000\.001 has more decimals .* Line 4: The amount .* Line 5: .* And 1 more\./,
    );
    expect(() => checkLines(MARKET, lines, 'Line')).toThrow(expect.objectContaining({ kind: 'usage', message }));
    expect(() => checkLines(MARKET, lines.slice(0, 1), 'Line')).not.toThrow();
  });

  it.each([
    '28, 500',
    '"28","500"',
    '{"price":28,"amount":500}',
    '1280,500',
    '28,50',
    '28,5000',
    '0.5,500',
    '28.0,500',
  ])('never takes %s for one number', (text) => {
    expect(parseLines(text).grouped).toEqual([]);
  });

  describe('a row that may be one number with a comma between its thousands', () => {
    const refusal = (text: string, market: string | null) => {
      const { lines, grouped } = parseLines(text);
      const reference = market === null ? null : { price: Decimal.of(market), name: 'mid' as const };
      return () => refuseGroupedRows(grouped, lines, MARKET, reference);
    };

    it('is refused near the market, with both readings and how to write each', () => {
      expect(refusal('28,500\n28,400.25\n28,300', '28063.7')).toThrow(
        expect.objectContaining({
          kind: 'usage',
          message:
            'Line 1: "28,500" has two meanings: a price of 28 and an amount of 500, or the one number 28,500, which is near the market (28,063.70).' +
            ' Line 2: "28,400.25" has two meanings: a price of 28 and an amount of 400.25, or the one number 28,400.25, which is near the market (28,063.70).' +
            ' Line 3: "28,300" has two meanings: a price of 28 and an amount of 300, or the one number 28,300, which is near the market (28,063.70).' +
            ' Nothing was sent.',
          hints: saying(
            'Write the price without a comma and then the amount, as in 28500,0.1. If you mean a price of 28, write {"price":28,"amount":500}.',
          ),
        }),
      );
    });

    it('is refused near the prices of the other lines, whatever is known of the market', () => {
      const message = expect.stringMatching(
        /^Line 2: "28,500" has two meanings: a price of 28 and an amount of 500, or the one number 28,500, which is near the other lines\. Nothing was sent\.$/,
      );
      for (const market of [null, '3'])
        expect(refusal('31000.5,0.01\n28,500\n29000,0.01', market)).toThrow(expect.objectContaining({ message }));
    });

    it.each<[text: string, market: string | null]>([
      ['28,500\n29,100', '28'],
      ['28,500\n28.5,100', '28.3'],
      ['28,500\n29,100', null],
      // twice 28,500 is 57,000, and half of it 14,250
      ['28,500', '57000.01'],
      ['28,500', '14249.99'],
      ['28,500\n57000.01,1', null],
    ])('is a price and an amount otherwise: %j with the market at %s', (text, market) => {
      expect(refusal(text, market)).not.toThrow();
    });

    it.each(['57000', '14250'])('is near a market at %s, a factor of two away', (market) => {
      expect(refusal('28,500', market)).toThrow(/near the market/);
    });
  });

  it('keeps every number as written, in any of its formats', () => {
    const number = fc
      .tuple(fc.bigInt({ min: 1n, max: 10n ** 18n }), fc.integer({ min: 0, max: 12 }))
      .map(([units, scale]) =>
        scale === 0 ? `${units}` : `${units / 10n ** 6n}.${String(units).padStart(scale, '0').slice(-scale)}`,
      )
      .filter((text) => /[1-9]/.test(text));
    const pairs = fc.array(fc.tuple(number, number), { minLength: 1, maxLength: 20 });
    const forms = fc.array(fc.nat(3), { minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(pairs, forms, fc.constantFrom('\n', '\r\n'), (orders, shapes, end) => {
        const rows = orders.map(([price, amount], index) => {
          const shape = shapes[index];
          if (shape === 0) return `{"price":${price},"amount":"${amount}"}`;
          return shape === 1 ? ` "${price}" ,${amount}` : `${price},${amount}`;
        });
        const read = parseLines(rows.join(end)).lines.map(([, price, amount]) => [price, amount]);
        expect(read).toEqual(orders);
      }),
    );
  });

  it('reads 100,000 orders', () => {
    const text = Array.from({ length: 100_000 }, (_, index) => `${20_000 + index / 100},0.01`).join('\n');
    const { lines } = parseLines(text);
    checkLines(MARKET, lines, 'Line');
    expect(lines).toHaveLength(100_000);
  });
});
