import path from 'node:path';
import { isLosslessNumber, LosslessNumber, parse, stringify } from 'lossless-json';
import { afterAll, beforeAll } from 'vitest';
import type { OperationName } from '../../src/exchange/operations/index.js';
import { distinct, isData, isTree } from '../operations/answer-fields.js';
import type { OperationExample } from '../operations/example.js';
import { EXAMPLES } from '../operations/index.js';
import { openHost } from '../support/world/hosts.js';
import { PAYLOADS } from './payloads.js';

/** An exchange that puts a payload into every text field of every answer: all of them into lists, one into single things. */
export interface HostileExchange {
  readonly url: string;
  /** The one for single things. */
  payload: string;
  /** Whether signed calls are refused with it. */
  isRefusing: boolean;
}

type Query = URLSearchParams;
type Answer = (payload: string, query: Query) => unknown;

/** An order that is cancelled already, with the payload as its market unless a cancellation waits for it. */
function order(payload: string, id: string) {
  const market = id === '18' ? 'btc_usdt' : payload;
  return {
    ...{ id, currency: market, price: 1, total_amount: 1, trade_amount: 0, trade_money: 0 },
    ...{ trade_date: 1_700_000_000_000, status: 1, type: 1, fees: '0', useXxFee: payload === '' },
  };
}

/** Answers that are not as the example has them. */
const OTHERS: Readonly<Record<string, Answer>> = {
  getOrder: (payload, query) => {
    const id = query.get('id');
    return id === null ? { code: 3001, message: payload } : order(payload, id);
  },
  getOrders: (payload) => [order(payload, '17')],
  order: (payload) => ({ code: 1001, message: payload }),
};

/** The example of an answer with the payload in each text, and one entry of each list for each payload. */
function hostileAnswer({ answer }: OperationExample, payload: string, query: Query): unknown {
  const [page, size] = [Number(query.get('pageIndex') ?? 1), Number(query.get('pageSize') ?? PAYLOADS.length)];
  const first = (page - 1) * size;
  // bills are of one kind
  const rows = query.get('dataType') === '1' ? [] : PAYLOADS.slice(first, first + size);
  const withText = (value: unknown, field: string, text: string, row?: number): unknown => {
    // without the coin, whose name is another one
    if (typeof value === 'string') return /^-?\d+(\.\d+)?(?=$| [A-Z]+$)/.exec(value)?.[0] ?? text;
    // ids and times: the newest is the first
    if (isLosslessNumber(value) && /^\d{9,}$/.test(value.value))
      return new LosslessNumber(`${BigInt(value.value) - BigInt(row ?? 0) * 1000n}`);
    if (Array.isArray(value) && isTree(value[0])) {
      const kinds = distinct(value);
      if (row !== undefined) return [withText(kinds[0], `${field}[]`, text, row)];
      return rows.map((one, at) => withText(kinds[at % kinds.length], `${field}[]`, one, first + at));
    }
    if (!isTree(value)) return value;
    const [name = ''] = Object.keys(value);
    if (isData(name)) {
      const all = rows.map((one, at): [string, unknown] => [one, withText(value[name], `${field}.*`, one, at)]);
      return Object.fromEntries([...all, ...(name.includes('_') ? Object.entries(value) : [])]);
    }
    const inner = (one: string) => withText(value[one], field === '' ? one : `${field}.${one}`, text, row);
    return Object.fromEntries(Object.keys(value).map((one) => [one, inner(one)]));
  };
  return withText(parse(answer), '', payload);
}

/** Parameters that differ in each request and change no answer. */
const SIGNING: ReadonlySet<string> = new Set(['accesskey', 'reqTime', 'sign']);

/** It answers commands of this process for a test file, and checks no signature. */
export function useHostileExchange(): HostileExchange {
  const exchange = {
    payload: 'x',
    isRefusing: false,
    get url() {
      if (host === undefined) throw new Error('the exchange is there from the first test on');
      return host.url;
    },
  };
  let host: ReturnType<typeof openHost> | undefined;
  /** The same lists are asked for again and again, and each has a row for every payload. */
  const made = new Map<string, string>();
  beforeAll(() => {
    host = openHost((asked, parameters) => {
      const isSigned = asked.startsWith('/api/');
      const name = path.basename(asked);
      const { payload } = exchange;
      if (exchange.isRefusing || !Object.hasOwn(EXAMPLES, name))
        return JSON.stringify(isSigned ? { code: 1001, message: payload } : { error: payload });
      const example = EXAMPLES[name as OperationName];
      const asksFor = [...parameters].filter(([parameter]) => !SIGNING.has(parameter));
      const key = JSON.stringify([name, payload, asksFor]);
      const answer =
        made.get(key) ??
        stringify(OTHERS[name]?.(payload, parameters) ?? hostileAnswer(example, payload, parameters)) ??
        '';
      made.set(key, answer);
      return answer;
    });
  });
  afterAll(() => host?.close());
  return exchange;
}
