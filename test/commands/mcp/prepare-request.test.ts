import { describe, expect, it } from 'vitest';
import { checkArguments } from '../../../src/commands/mcp/parameters.js';
import { PREPARE, requestOf, withParameters } from '../../../src/commands/mcp/prepare-request.js';
import { saying } from '../../support/advice.js';

const prepared = (sent: object) => requestOf(checkArguments('prepare', PREPARE, { market: 'btc_usdt', ...sent }));
const ORDER = { kind: 'order', side: 'buy', amount: '0.01', price: 'ask' };
const LADDER = { kind: 'ladder', side: 'sell', amount: '50%', price: '30000:31000:20' };
const ALGO = { kind: 'algo', side: 'buy', amount: '0.01' };
const ids = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1));

describe('what an agent prepares is the command line', () => {
  it.each<[object, string]>([
    [ORDER, 'order buy btc_usdt 0.01 --at ask'],
    [{ ...ORDER, orders: [], when: [] }, 'order buy btc_usdt 0.01 --at ask'],
    [{ ...ORDER, type: 'postOnly' }, 'order buy btc_usdt 0.01 --at ask --post-only'],
    [
      { ...ORDER, account: 'cross', borrow: true, repay: true },
      'order buy btc_usdt 0.01 --at ask --account cross --borrow --repay',
    ],
    [LADDER, 'order batch sell btc_usdt --ladder 30000:31000:20 --amount 50% --weight equal --account spot'],
    [
      { ...LADDER, weight: 'linear', account: 'isolated' },
      'order batch sell btc_usdt --ladder 30000:31000:20 --amount 50% --weight linear --account isolated',
    ],
    [
      { ...LADDER, price: '1:2:50', borrow: false, repay: false },
      'order batch sell btc_usdt --ladder 1:2:50 --amount 50% --weight equal --account spot',
    ],
    [
      { kind: 'replace', orders: ['7'], price: '25000', amount: '0.02' },
      'order replace btc_usdt 7 --at 25000 --amount 0.02',
    ],
    [{ kind: 'replace', orders: ['7'], price: '25000' }, 'order replace btc_usdt 7 --at 25000'],
    [{ kind: 'replace', orders: '7', amount: '0.02' }, 'order replace btc_usdt 7 --amount 0.02'],
    [
      { kind: 'replace', orders: ['7'], amount: '0.02', account: 'cross', borrow: true },
      'order replace btc_usdt 7 --amount 0.02 --account cross --borrow',
    ],
    [{ kind: 'cancel', orders: ['all'] }, 'cancel btc_usdt --all'],
    [{ kind: 'cancel', orders: ['7', '8', '7'] }, 'cancel btc_usdt 7 8'],
    [{ kind: 'cancel', orders: ids(50) }, `cancel btc_usdt ${ids(50).join(' ')}`],
    [{ ...ALGO, stop: '31000' }, 'order buy btc_usdt 0.01 --stop 31000'],
    [{ ...ALGO, price: '28000', take: '30000', account: 'spot' }, 'order buy btc_usdt 0.01 --at 28000 --take 30000'],
    [
      { ...ALGO, chase: true, when: ['last>30000', 'bid<20000'], for: '10m' },
      'order buy btc_usdt 0.01 --chase --when last>30000 --when bid<20000 --for 10m',
    ],
    [{ ...ALGO, over: '2h', passive: false, slippage: '2%' }, 'order buy btc_usdt 0.01 --over 2h --slippage 2%'],
    [{ kind: 'algoCancel', orders: ['a7pdc3p'] }, 'algo cancel a7pdc3p'],
    [{ kind: 'algoPause', orders: ['a7pdc3p', 'a7pdc3p'] }, 'algo pause a7pdc3p'],
    [{ kind: 'algoResume', orders: ['a7pdc3p'] }, 'algo resume a7pdc3p'],
  ])('%j', (sent, line) => {
    const { kind, market, argv } = prepared(sent);
    expect([kind, market, argv.join(' ')]).toEqual([Reflect.get(sent, 'kind'), 'btc_usdt', line]);
  });
});

describe('what an agent prepares is refused', () => {
  it.each<[object, message: string, hint?: string]>([
    [{ kind: 'order', side: 'buy' }, 'To prepare order, give amount, price.'],
    [{ kind: 'ladder', amount: '1' }, 'To prepare ladder, give side, price.'],
    [{ kind: 'replace' }, 'To prepare replace, give orders.'],
    [{ kind: 'cancel', orders: [] }, 'To prepare cancel, give orders.'],
    [{ kind: 'algo' }, 'To prepare algo, give side, amount.'],
    [{ kind: 'algoPause' }, 'To prepare algoPause, give orders.'],
    [{ ...ORDER, weight: 'equal', orders: ['7'] }, 'order takes no weight and no orders.', 'Leave that out.'],
    [{ ...ORDER, stop: '20000' }, 'order takes no stop.', 'Only kind algo takes that: prepare that kind instead.'],
    [{ ...LADDER, chase: true }, 'ladder takes no chase.', 'Only kind algo takes that: prepare that kind instead.'],
    [
      { kind: 'replace', orders: ['7'], price: '1', take: '2' },
      'replace takes no take.',
      'Only kind algo takes that: cancel the order, then prepare that kind.',
    ],
    [{ kind: 'cancel', orders: ['7'], stop: '1' }, 'cancel takes no stop.', 'Leave that out.'],
    [{ ...LADDER, type: 'ioc', borrow: true, repay: true }, 'ladder takes no type and no borrow and no repay.'],
    [{ ...LADDER, orders: ['7'] }, 'ladder takes no orders.'],
    [
      { ...LADDER, price: '1:2:51' },
      'These are too many orders: 51, and an agent may prepare up to 50 at once.',
      'Prepare them in parts.',
    ],
    [
      { kind: 'replace', orders: ['7'], side: 'buy', type: 'ioc', weight: 'equal' },
      'replace takes no side and no type and no weight.',
    ],
    [
      { kind: 'replace', orders: ['7', '8'], price: '1' },
      'orders names more than one order to replace.',
      'Give one id, and prepare each order by itself.',
    ],
    [{ kind: 'replace', orders: ['7'] }, 'A replacement needs a new price or amount.', 'Give price, amount, or both.'],
    [{ kind: 'cancel', orders: ['all', '7'] }, 'The order id must be an id from the exchange, not "all".'],
    [{ kind: 'replace', orders: ['all'], price: '1' }, 'The order id must be an id from the exchange, not "all".'],
    [{ kind: 'cancel', orders: ids(51) }, 'orders has more than 50 elements.', 'Use several calls.'],
    [
      { kind: 'cancel', orders: ['7'], side: 'buy', amount: '1', price: '1', account: 'spot' },
      'cancel takes no side and no amount and no price and no account.',
    ],
    [{ kind: 'algoCancel', orders: ['a7pdc3p'], side: 'buy' }, 'algoCancel takes no side.'],
    [{ ...ALGO, stop: '1', weight: 'equal', borrow: true }, 'algo takes no weight and no borrow.'],
    [{ ...ALGO, stop: '1', account: 'cross' }, 'Algo orders trade on the spot account only.', 'Leave account out.'],
    [{ ...ALGO, over: '1h', chase: true }, 'over and chase exclude each other.', 'Give one of them.'],
    [{ ...ALGO, chase: true, type: 'ioc' }, 'type ioc and chase exclude each other.'],
    [{ ...ALGO, stop: '1', type: 'postOnly' }, 'type postOnly belongs to an order with price.'],
    [
      { ...ALGO, chase: true, when: Array.from({ length: 6 }, () => 'last>1') },
      'when has too many conditions: 6.',
      'Give up to 5.',
    ],
    [
      { ...ALGO, chase: true, when: [`last>${'1'.repeat(26)}`] },
      `The condition "last>${'1'.repeat(26)}" is too long.`,
      'Use up to 30 characters.',
    ],
  ])('%j', (sent, message, hint) => {
    const hints = hint === undefined ? {} : { hints: saying(hint) };
    expect(() => prepared(sent)).toThrow(expect.objectContaining({ kind: 'usage', message, ...hints }));
  });

  it('but not five conditions of thirty characters', () => {
    const when = Array.from({ length: 5 }, () => `last>${'1'.repeat(25)}`);
    expect(prepared({ ...ALGO, chase: true, when }).argv.filter((word) => word === '--when')).toHaveLength(5);
  });
});

it('an argument that is missing or unknown is named, with what it is', () => {
  const check = (sent: object) => () => checkArguments('prepare', PREPARE, { ...sent });
  expect(check({})).toThrow(
    expect.objectContaining({ message: 'prepare needs kind.', hints: saying('It is what to do.') }),
  );
  expect(check({ kind: 'order' })).toThrow(
    expect.objectContaining({ message: 'prepare needs market.', hints: saying('It is such as btc_usdt.') }),
  );
  expect(check({ foo: 1 })).toThrow(
    expect.objectContaining({ message: 'prepare has no parameter "foo".', hints: saying('It takes kind, market,') }),
  );
  expect(() => checkArguments('halt', {}, { foo: 1 })).toThrow(
    expect.objectContaining({ message: 'halt has no parameter "foo".', hints: saying('It takes none.') }),
  );
});

it('a message of the command line names parameters in the place of flags', () => {
  expect(withParameters('--at and --post-only, --ioc or --take')).toBe('price and type postOnly, type ioc or take');
});
