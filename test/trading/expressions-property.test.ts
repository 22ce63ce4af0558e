import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/domain/decimal.js';
import {
  amountText,
  evaluateAmount,
  evaluatePrice,
  parseAmount,
  parsePrice,
  priceText,
} from '../../src/trading/expressions.js';

/** An exact fraction in whole numbers: the model shares no arithmetic with the code under test. */
interface Fraction {
  readonly over: bigint;
  readonly under: bigint;
}

const fraction = (units: bigint, scale: number): Fraction => ({ over: units, under: 10n ** BigInt(scale) });
const of = ({ units, scale }: Decimal): Fraction => fraction(units, scale);
const add = (a: Fraction, b: Fraction) => ({ over: a.over * b.under + b.over * a.under, under: a.under * b.under });
const times = (a: Fraction, b: Fraction) => ({ over: a.over * b.over, under: a.under * b.under });
const atMost = (a: Fraction, b: Fraction) => a.over * b.under <= b.over * a.under;

describe('an order with relative price and amount', () => {
  const money = (whole: number, scale: number) =>
    fc.record({ units: fc.bigInt({ min: 1n, max: 10n ** BigInt(whole + scale) }), scale: fc.constant(scale) });
  const text = ({ units, scale }: { units: bigint; scale: number }) => Decimal.fromUnits(units, scale).toString();
  const scenario = fc.record({
    side: fc.constantFrom('buy', 'sell' as const),
    bid: money(6, 8),
    spread: money(4, 8),
    anchor: fc.constantFrom('bid', 'ask', 'mid' as const),
    sign: fc.constantFrom('+', '-' as const),
    offset: fc.oneof(
      fc.record({ unit: fc.constant('%'), size: money(2, 3) }),
      fc.record({ unit: fc.constant(''), size: money(3, 4) }),
      fc.record({ unit: fc.constant('ticks'), size: money(4, 0) }),
    ),
    balance: money(8, 8),
    wanted: fc.oneof(
      fc.record({
        kind: fc.constant('share'),
        size: fc.record({ units: fc.bigInt(1n, 10_000n), scale: fc.constant(2) }),
      }),
      fc.record({ kind: fc.constant('value'), size: money(6, 4) }),
    ),
    priceScale: fc.nat(8),
    amountScale: fc.nat(8),
  });

  it('never exceeds the price or the balance, with the decimals of the market', () => {
    let orders = 0;
    fc.assert(
      fc.property(scenario, (given) => {
        const { side, bid, spread, anchor, sign, offset, balance, wanted, priceScale, amountScale } = given;
        const ask = add(fraction(bid.units, bid.scale), fraction(spread.units, spread.scale));
        const anchors = { bid: fraction(bid.units, bid.scale), ask, mid: { over: 0n, under: 1n } };
        anchors.mid = times(add(anchors.bid, ask), { over: 1n, under: 2n });
        const at = anchors[anchor];
        const size = fraction(offset.size.units, offset.size.scale);
        const tick = { over: 1n, under: 10n ** BigInt(priceScale) };
        const percent = times(at, times(size, { over: 1n, under: 100n }));
        const move = offset.unit === '%' ? percent : offset.unit === '' ? size : times(size, tick);
        const asked = add(at, times(move, { over: sign === '+' ? 1n : -1n, under: 1n }));

        const word = parsePrice(`${anchor}${sign}${text(offset.size)}${offset.unit}`);
        const book = { bid: Decimal.of(text(bid)), ask: Decimal.of(text(bid)).plus(Decimal.of(text(spread))) };
        const resolved = evaluatePrice(word, book, side, priceScale);
        expect(resolved.scale).toBe(priceScale);
        // a price that is not above zero is refused, whatever it was rounded to
        fc.pre(resolved.sign > 0);
        expect(side === 'buy' ? atMost(of(resolved), asked) : atMost(asked, of(resolved))).toBe(true);

        const amountWord = parseAmount(`${text(wanted.size)}${wanted.kind === 'share' ? '%' : 'usdt'}`);
        const terms = { side, base: 'btc', quote: 'usdt', price: resolved, scale: amountScale };
        const amount = evaluateAmount(amountWord, terms, Decimal.of(text(balance)));
        expect(amount.scale).toBe(amountScale);
        expect(amount.sign).toBeGreaterThanOrEqual(0);
        const notional = times(of(resolved), of(amount));
        const spends = side === 'buy' ? notional : of(amount);
        const part = fraction(wanted.size.units, wanted.size.scale);
        if (wanted.kind === 'value') expect(atMost(notional, part)).toBe(true);
        if (wanted.kind !== 'share') return;
        const share = times(fraction(balance.units, balance.scale), times(part, { over: 1n, under: 100n }));
        expect(atMost(spends, share)).toBe(true);
        expect(atMost(spends, fraction(balance.units, balance.scale))).toBe(true);
        orders += 1;
      }),
      { numRuns: 1_000 },
    );
    expect(orders).toBeGreaterThan(100);
  });

  it('reads its own text as the same expression', () => {
    const words = ['31000.50', 'bid', 'ask+5', 'mid-0.5%', 'bid+2ticks', 'ask-1ticks', 'bid+0.05'];
    for (const word of words) expect(priceText(parsePrice(word))).toBe(word);
    for (const word of ['0.50', '50%', '33.3%', '100usdt', '1btc']) expect(amountText(parseAmount(word))).toBe(word);
    // other ways to write the same
    expect(priceText(parsePrice('BID+1tick'))).toBe('bid+1ticks');
    expect(priceText(parsePrice('bid-0'))).toBe('bid');
    expect(amountText(parseAmount('100USDT'))).toBe('100usdt');
  });
});
