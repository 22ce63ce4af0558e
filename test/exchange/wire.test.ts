import { describe, expect, it } from 'vitest';
import { type OperationName, operations } from '../../src/exchange/operations/index.js';
import {
  checkedParameters,
  keylessUrl,
  marketDataUrl,
  signedUrl,
  type ValuesOf,
} from '../../src/exchange/requests/request.js';
import { readResponse, UnexpectedResponse } from '../../src/exchange/requests/response.js';
import { MARKET_DATA, TRADING, type WireExample, WRONG } from './wire-examples.js';
import { FUNDS } from './wire-examples-funds.js';

const HOSTS = { baseUrl: 'https://data.example', tradeUrl: 'https://trade.example/mirror' };
const KEYS = { accessKey: 'ak/1+2', secretKey: 'sk-0002' };
const EXAMPLES = Object.entries<WireExample>({ ...MARKET_DATA, ...FUNDS, ...TRADING }) as [
  OperationName,
  WireExample,
][];

function urlOf(name: OperationName, values: WireExample['values']): string {
  const parameters = checkedParameters(name, values as ValuesOf<typeof name>);
  const { access } = operations[name];
  if (access === 'public') return marketDataUrl(name, HOSTS, parameters);
  return access === 'keyless'
    ? keylessUrl(name, HOSTS, parameters)
    : signedUrl(name, HOSTS, parameters, KEYS, 1648461600123);
}

it('each operation has an example', () => {
  expect(EXAMPLES.map(([name]) => name).sort()).toEqual(Object.keys(operations).sort());
});

it('counts four operations as writes and one as a refresh', () => {
  const having = (effect: string) =>
    EXAMPLES.map(([name]) => name).filter((name) => operations[name].effect === effect);
  expect(having('write').sort()).toEqual(['cancelOrder', 'order', 'orderMoreV2', 'withdraw']);
  expect(having('refresh')).toEqual(['cancelAllOrdersAfter']);
});

describe.each(EXAMPLES)('%s', (name, { values, path, body, result, fields }) => {
  it('calls the URL of the document', () => {
    const url = urlOf(name, values);
    if (operations[name].access === 'public') return expect(url).toBe(`https://data.example${path}`);
    const plain = `https://trade.example/mirror${path}`;
    if (operations[name].access === 'keyless') return expect(url).toBe(plain);
    const [, front, sign, reqTime] = /^(.*)&sign=([0-9a-f]{32})&reqTime=(\d+)$/.exec(url) ?? [];
    expect(front).toBe(plain.replace(/(method=\w+)/, '$1&accesskey=ak%2F1%2B2'));
    expect([sign?.length, reqTime]).toEqual([32, '1648461600123']);
  });

  it('reads every field of the answer', () => {
    expect(readResponse(name, body)).toEqual(result);
  });

  it.each(Object.entries(fields))(
    'names the field %s if it is wrong, or missing although it is required',
    (field, kind) => {
      for (const wrong of WRONG[kind]) {
        if (wrong === true && isFlag(body, field)) continue;
        const error = thrownBy(() => readResponse(name, withField(body, field, wrong)));
        expect(error, String(wrong)).toBeInstanceOf(UnexpectedResponse);
        // a wrong group is named by the first thing that it lacks
        const start = `the response to ${name} does not match the exchange's API: field "${field}`;
        expect(error?.message.slice(0, start.length)).toBe(start);
        expect(error?.message).not.toMatch(/undefined|NaN|\[object|\n|at .*:\d+/);
      }
    },
  );
});

function isFlag(body: string, field: string): boolean {
  return typeof valueAt(JSON.parse(body), field.split('.')) === 'boolean';
}

function valueAt(whole: unknown, names: readonly string[]): unknown {
  return names.reduce<unknown>((at, name) => Reflect.get(Object(at), name), whole);
}

/** The body with one field changed or removed. Large ids lose digits here, which these tests do not check. */
function withField(body: string, field: string, value: unknown): string {
  const whole: unknown = JSON.parse(body);
  const names = field.split('.');
  const last = names.pop() ?? '';
  const parent = valueAt(whole, names);
  if (value === undefined && !Array.isArray(parent)) Reflect.deleteProperty(Object(parent), last);
  else Reflect.set(Object(parent), last, value ?? null);
  return JSON.stringify(whole);
}

function thrownBy(work: () => unknown): Error | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
