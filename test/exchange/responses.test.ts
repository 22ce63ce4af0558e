import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Refused, readResponse, UnexpectedResponse } from '../../src/exchange/requests/response.js';
import { NumberText, parseJson } from '../../src/platform/json.js';
import { anyText } from '../support/any-text.js';

const RECORD = {
  id: '202202224851151555',
  currency: 'btc_usdt',
  price: 1,
  total_amount: 1,
  trade_amount: 0,
  trade_money: 0,
  trade_date: 1648461600123,
  status: 0,
  type: 0,
};

function record(changes: object): string {
  return JSON.stringify({ ...RECORD, ...changes });
}

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe('errors in the form of the other kind of operation', () => {
  it.each([
    ['depth', '{"code":4002,"message":"too frequent"}', { code: 4002, message: '“too frequent”', kind: 'tooFrequent' }],
    ['getAccountInfo', '{"error":"closed for repair"}', { code: null, message: '“closed for repair”', kind: 'other' }],
    ['getOrders', '{"result":false,"message":"busy"}', { code: null, message: '“busy”', kind: 'busy' }],
  ] as const)('reads the error of %s in %s', (name, body, error) => {
    const thrown = thrownBy(() => readResponse(name, body));
    expect(thrown).toBeInstanceOf(Refused);
    expect(thrown).toMatchObject(error);
  });

  it('never takes such an error for the rejection of a write', () => {
    expect(thrownBy(() => readResponse('order', '{"error":"closed"}'))).toBeInstanceOf(UnexpectedResponse);
  });
});

it('refuses a negative withdrawal fee', () => {
  const chain = { chainName: 'btc', mainChainName: 'btc', fee: -1, canDeposit: true, canWithdraw: true };
  const body = JSON.stringify({ code: 1000, message: 'ok', result: { BTC: [chain] } });
  expect(thrownBy(() => readResponse('getFeeInfo', body))).toMatchObject({
    message: expect.stringContaining('expected a decimal number of 0 or more, got “-1”'),
  });
});

it.each([999, 1001, 0, -1000, 100, 10_000])(
  'only 1000 is a success: the code %i is a refusal, whatever else the answer says',
  (code) => {
    const order = thrownBy(() => readResponse('order', `{"code":${code},"message":"done","id":"7"}`));
    const message = '{"des":"done","isSuc":true,"datas":[]}';
    const read = thrownBy(() => readResponse('getUserAddress', `{"code":${code},"message":${message}}`));
    for (const thrown of [order, read]) expect(thrown).toMatchObject({ code, message: '“done”' });
    expect(order).toBeInstanceOf(Refused);
  },
);

describe('undocumented types that deployments send', () => {
  it.each(['1000', '"1000"'])('accepts the code %s', (code) => {
    expect(readResponse('order', `{"code":${code},"message":"ok","id":"1"}`).id).toBe('1');
    expect(readResponse('withdraw', `{"code":${code},"message":null,"id":1}`)).toEqual({
      code: 1000,
      message: null,
      id: '1',
    });
  });

  it.each([
    ['{"code":1000,"message":"操作成功"}', '操作成功'],
    ['{"code":"1000","message":{"des":"done","isSuc":"true","datas":null}}', 'done'],
    ['{"code":1000,"message":{"des":"done","isSuc":true}}', 'done'],
  ])('reads the message of a cancellation %s', (body, des) => {
    const nothing = { amount: null, price: null, completeMonty: null, completeAmount: null };
    expect(readResponse('cancelOrder', body).message).toMatchObject({ des, datas: nothing });
  });

  it.each([
    ['"310.005"', '310.005'],
    ['310.0050', '310.0050'],
    ['3.1E+2', '310'],
  ])('reads trade_money %s', (text, value) => {
    const body = record({}).replace('"trade_money":0', `"trade_money":${text}`);
    expect(readResponse('getOrder', body).trade_money).toBe(value);
  });

  it.each([
    [{ fees: 0.1 }, '0.1'],
    [{ fees: '0.10' }, '0.10'],
    [{ fees: '' }, null],
    [{ fees: null }, null],
    [{}, null],
  ])('reads fees of %j', (fees, value) => {
    expect(readResponse('getOrder', record(fees)).fees).toBe(value);
  });

  it.each([...['useXxFee', 'useAbFee', 'useQ9rFee', 'useFee', 'useabFee', 'userAbFee', 'useAbFees', 'reuseAbFee']])(
    'reads or ignores %s as the field of the fee coin',
    (name) => {
      const isOne = ['useXxFee', 'useAbFee', 'useQ9rFee'].includes(name);
      expect(readResponse('getOrder', record({ [name]: true })).useXxFee).toBe(isOne);
      expect(readResponse('getOrders', `[${record({ [name]: 'true' })}]`)[0]?.useXxFee).toBe(isOne);
    },
  );

  it('reads times in seconds and milliseconds, as numbers and as text', () => {
    const at = (date: string) => readResponse('ticker', `{"ticker":${QUIET},"date":${date}}`).date;
    expect(['1648461600', '"1648461600"', '1648461600000', '"1648461600000"'].map(at)).toEqual(
      Array(4).fill(1648461600000),
    );
  });

  const QUIET = '{"high":"","low":null,"buy":"--","sell":"-","last":"0","open":"0.0","riseRate":"-1.5","vol":"0"}';

  it('reads the empty prices of a market without trades', () => {
    const { ticker } = readResponse('ticker', `{"ticker":${QUIET},"date":"1648461600000","turnover":"1"}`);
    expect(ticker).toEqual({
      high: null,
      low: null,
      buy: null,
      sell: null,
      last: '0',
      open: '0.0',
      riseRate: '-1.5',
      vol: '0',
    });
  });

  it('reads prices of trades, books and candles sent as text', () => {
    const trade =
      '{"date":"1648461600","price":"31000.50","amount":"0.10","tid":"7","trade_type":"ask","type":"sell","x":1}';
    expect(readResponse('trades', `[${trade}]`)[0]).toMatchObject({ price: '31000.50', amount: '0.10', tid: '7' });
    expect(readResponse('depth', '{"asks":[["2","1"]],"bids":[],"timestamp":"1"}').asks).toEqual([['2', '1']]);
    const candles = '{"data":[["1648461600000","1","1.0","1","1","0E-8"]],"moneyType":"usdt","symbol":"btc"}';
    expect(readResponse('kline', candles).data).toEqual([[1648461600000, '1', '1.0', '1', '1', '0.00000000']]);
  });
});

describe('refusals', () => {
  it.each([
    ['order', '{"code":"2009","message":"Insufficient"}', 2009, '“Insufficient”'],
    ['getOrders', '{"code":3001,"message":"not found"}', 3001, '“not found”'],
    ['getAccountInfo', '{"code":1003,"message":{"des":"sign","isSuc":false}}', 1003, '“sign”'],
    ['getFeeInfo', '{"code":1009}', 1009, 'the exchange gave no reason'],
    ['cancelOrder', '{"code":3001,"message":{"des":"filled","isSuc":"false"}}', 3001, '“filled”'],
    ['getUserAddress', '{"code":1000,"message":{"des":"none yet","isSuc":"false"}}', 1000, '“none yet”'],
    ['ticker', '{"error":"market is not valid"}', null, '“market is not valid”'],
    ['kline', '{"result":false,"message":"wait"}', null, '“wait”'],
  ] as const)('%s %s', (name, body, code, message) => {
    expect(thrownBy(() => readResponse(name, body))).toEqual(
      new Refused(code, message, name === 'kline' ? 'busy' : undefined),
    );
  });
});

describe('digits', () => {
  it('keeps the digits of an id of any length', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[1-9][0-9]{0,38}$/), (id) => {
        expect(readResponse('orderMoreV2', `{"code":1000,"message":"","data":[${id},"${id}"]}`).data).toEqual([id, id]);
      }),
    );
  });

  it('keeps the digits of a JSON number', () => {
    const number = fc.stringMatching(/^-?(0|[1-9][0-9]{0,29})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,2})?$/);
    fc.assert(
      fc.property(number, (text) => {
        expect(parseJson(`{"a":[${text}]}`)).toEqual({ a: [new NumberText(text)] });
      }),
    );
  });

  it('keeps the digits of an amount of any length', () => {
    const amount = '123456789012345678901234567890.10';
    expect(readResponse('getOrder', record({}).replace('"price":1', `"price":${amount}`)).price).toBe(amount);
  });
});

describe('hostile answers', () => {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;

  it.each([
    ['', 'empty'],
    [' \n', 'empty'],
    ['<html>', 'an HTML page'],
    ['\n\n<!doctype html><script>', 'an HTML page'],
    ['{"code":1000,', 'cut off'],
    ['{"code":tru', 'cut off'],
    ['[[1,2],[3', 'cut off'],
    ['{"code":1000}{"code":1000}', 'not readable as JSON'],
    ['{"code":1000}\u0000', 'not readable as JSON'],
    ['\uFEFF{"code":1000}', 'not readable as JSON'],
    ['{"code":1000,"code":3001}', 'not readable as JSON'],
    ["{'code':1000}", 'not readable as JSON'],
    ['{"code":01}', 'not readable as JSON'],
    ['{"code":NaN}', 'not readable as JSON'],
    ['{"code":"\u0000"}', 'not readable as JSON'],
    ['callback({"code":1000})', 'not readable as JSON'],
    ['\u0000\u0001\u0002', 'not readable as JSON'],
    [deep, 'not readable as JSON'],
    [`{"code":1000,"message":${deep},"id":"1"}`, 'not readable as JSON'],
  ])('%#: %.30s', (body, words) => {
    const error = thrownBy(() => readResponse('order', body));
    expect(error).toBeInstanceOf(UnexpectedResponse);
    expect((error as UnexpectedResponse).message).toBe(`the response to order is ${words}`);
  });

  it.each(['0', '"0"', '"000"', '-1', 'null'])('rejects %s as the id of a write', (id) => {
    const answers = [
      ['order', `{"code":"1000","message":"","id":${id}}`],
      ['orderMoreV2', `{"code":"1000","message":"","data":[1,${id}]}`],
      ['withdraw', `{"code":1000,"message":"","id":${id}}`],
    ] as const;
    for (const [name, body] of answers)
      expect(thrownBy(() => readResponse(name, body))).toBeInstanceOf(UnexpectedResponse);
    expect(readResponse('order', '{"code":"1000","message":"","id":"00120"}').id).toBe('00120');
  });

  it.each(['null', 'true', '1', '"text"', '[]', '{}'])('rejects JSON that is not the expected answer: %s', (body) => {
    for (const name of ['order', 'getOrder', 'getAccountInfo', 'kline'] as const) {
      const error = thrownBy(() => readResponse(name, body));
      expect(error).toBeInstanceOf(UnexpectedResponse);
      expect((error as UnexpectedResponse).message).not.toMatch(/undefined|\[object/);
    }
  });

  it('keys like __proto__ change no objects', () => {
    const poison = '{"__proto__":{"code":1000,"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    expect(thrownBy(() => readResponse('order', poison))).toMatchObject({
      message: expect.stringContaining('"code" is missing'),
    });
    expect(readResponse('getFeeInfo', '{"code":1000,"message":"","result":{"__proto__":[]}}').result).toEqual({});
    const order = readResponse('getOrder', record({}).replace('{', '{"__proto__":{"useXxFee":true},"toString":1,'));
    expect([order.useXxFee, String(order)]).toEqual([false, '[object Object]']);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it('reads 5 MB in one text or in a hundred thousand entries', () => {
    const long = 'x'.repeat(5_000_000);
    const error = thrownBy(() =>
      readResponse('order', `{"code":1000,"message":"","id":"${long}"}`),
    ) as UnexpectedResponse;
    expect(error.message).toBe(
      `the response to order does not match the exchange's API: field "id": expected an id of digits other than 0, got “${'x'.repeat(200)}…”`,
    );
    const many = `{"asks":[${Array(100_000).fill('["1.00000000","1.00000000"]').join(',')}],"bids":[],"timestamp":1}`;
    expect(readResponse('depth', many).asks).toHaveLength(100_000);
  });

  it('fails with a known error for any text', () => {
    fc.assert(
      fc.property(
        fc.oneof(anyText(), fc.json()),
        fc.constantFrom('order', 'depth', 'getOrders' as const),
        (body, name) => {
          const outcome = thrownBy(() => readResponse(name, body));
          if (outcome instanceof Error)
            expect(outcome instanceof UnexpectedResponse || outcome instanceof Refused).toBe(true);
        },
      ),
    );
  });
});
