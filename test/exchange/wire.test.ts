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
import { fieldsOf } from '../operations/answer-fields.js';
import type { OperationExample } from '../operations/example.js';
import { EXAMPLES, NAMES } from '../operations/index.js';

const HOSTS = { baseUrl: 'https://data.example', tradeUrl: 'https://trade.example/mirror' };
const KEYS = { accessKey: 'ak/1+2', secretKey: 'sk-0002' };

function urlOf(name: OperationName, values: OperationExample['values']): string {
  const parameters = checkedParameters(name, values as ValuesOf<typeof name>);
  const { access } = operations[name];
  if (access === 'public') return marketDataUrl(name, HOSTS, parameters);
  return access === 'keyless'
    ? keylessUrl(name, HOSTS, parameters)
    : signedUrl(name, HOSTS, parameters, KEYS, 1648461600123);
}

it('each operation has an example', () => {
  expect(NAMES.toSorted()).toEqual(Object.keys(operations).sort());
});

it('each operation that reads has a line that shows its answer', () => {
  const reads = NAMES.filter((name) => operations[name].effect === 'read');
  expect(reads.filter((name) => EXAMPLES[name].lines.length === 0)).toEqual([]);
});

it('counts four operations as writes and one as a refresh', () => {
  const having = (effect: string) => NAMES.filter((name) => operations[name].effect === effect);
  expect(having('write').sort()).toEqual(['cancelOrder', 'order', 'orderMoreV2', 'withdraw']);
  expect(having('refresh')).toEqual(['cancelAllOrdersAfter']);
});

describe.each(NAMES)('%s', (name) => {
  const { values, path, answer, result, required, texts = [] } = EXAMPLES[name];

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
    expect(readResponse(name, answer)).toEqual(result);
  });

  it('reads an answer with fields that it does not know', () => {
    // in an object of markets or coins, each name is one of them
    const more = answer.replaceAll(/\{"(?!btc_usdt"|BTC")/g, '{"news":[1],"');
    expect(readResponse(name, more)).toEqual(result);
  });

  /** What is in a list of lists, each number of its first entry, has no name. */
  const unnamed = fieldsOf(JSON.parse(answer)).flatMap(({ at, value }) =>
    Array.isArray(value) && Array.isArray(value[0])
      ? value[0].map((number, index) => ({ at: [...at, '0', String(index)], wrong: wrongValues(number, '') }))
      : [],
  );
  const named = fieldsOf(JSON.parse(answer)).flatMap(({ field, at, value }) => {
    const meant = valueAt(result, at);
    const missing = !(field in required) ? [] : field.endsWith('*') ? [null] : [undefined, null];
    const wrong = texts.includes(field) ? [[], true] : wrongValues(value, meant);
    // what pit does not read may be anything
    return meant === undefined ? [] : [{ at, wrong: [...missing, ...wrong] }];
  });
  // each market is read by itself
  const fields = [...named, ...unnamed].filter(({ at }) => at[0] !== 'btc_usdt');

  it.each(fields.map(({ at, wrong }) => [at.join('.'), at, wrong] as const))(
    'names the field %s if it is wrong, or missing although it is required',
    (field, at, values) => {
      for (const wrong of values) {
        const error = thrownBy(() => readResponse(name, withField(answer, at, wrong)));
        expect(error, JSON.stringify(wrong)).toBeInstanceOf(UnexpectedResponse);
        // a wrong group is named by the first thing that it lacks
        const start = `the response to ${name} does not match the exchange's API: field "${field}`;
        expect(error?.message.slice(0, start.length)).toBe(start);
        expect(error?.message).not.toMatch(/undefined|NaN|\[object|\n|at .*:\d+/);
      }
    },
  );
});

const CONTROLS = '\u001b[31m';

/** What a field may not be, by its value in the answer and what that means. */
function wrongValues(value: unknown, meant: unknown): readonly unknown[] {
  if (typeof value === 'boolean') return [{}, [], 'not it', -0.5, CONTROLS];
  if (typeof value === 'object') return ['not it', -0.5, true, CONTROLS];
  // counts, codes and times
  if (typeof meant === 'number') return [{}, [], true, 'not it', -0.5, CONTROLS];
  if (/^-?\d+(\.\d+)?$/.test(String(value))) return [{}, [], true, 'not it', '1,5', CONTROLS];
  return [{}, [], true];
}

function valueAt(whole: unknown, names: readonly string[]): unknown {
  return names.reduce<unknown>((at, name) => Reflect.get(Object(at), name), whole);
}

/** The body with one field changed or removed. Large ids lose digits here, which these tests do not check. */
function withField(body: string, at: readonly string[], value: unknown): string {
  const whole: unknown = JSON.parse(body);
  const last = at.at(-1) ?? '';
  const parent = valueAt(whole, at.slice(0, -1));
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
