import { readQuery, splitTarget } from '../server/query.js';

/** What one execution of a request changed. */
export interface Effects {
  /** Ids of orders that were placed. */
  readonly placed: readonly string[];
  /** The orders that were cancelled, each by the id or the client's id that the request named. */
  readonly cancelled: readonly string[];
  /** Ids of withdrawals. */
  readonly withdrawn: readonly string[];
  /** The return code; null for market data and for flat answers, which have none. */
  readonly code: number | null;
}

/** Never written down: what signs, and what pays. */
const SECRET: ReadonlySet<string> = new Set(['sign', 'accesskey', 'safePwd', 'reqTime', 'method']);

/** The parameters of a request without secrets; none where they cannot be read. */
export function parametersOf(url: string): Record<string, string> {
  try {
    const given = readQuery(splitTarget(url).query);
    return Object.fromEntries([...given].filter(([name]) => !SECRET.has(name)));
  } catch {
    return {};
  }
}

/** Reads what was done out of the exchange's own answer; ids keep all their digits. */
export function effectsOf(operation: string, parameters: Readonly<Record<string, string>>, body: string): Effects {
  const [, code] = /^\{"code":"?(\d{4})"?[,}]/.exec(body) ?? [];
  const done = code === '1000';
  const [, id] = /"id":"(\d+)"\}$/.exec(body) ?? [];
  const [, list] = /"data":\[([\d,]*)\]\}$/.exec(body) ?? [];
  const placed = operation === 'order' ? [id] : operation === 'orderMoreV2' ? (list ?? '').split(',') : [];
  const cancelled = operation === 'cancelOrder' ? [parameters.id || parameters.customerOrderId] : [];
  const withdrawn = operation === 'withdraw' ? [id] : [];
  const known = (ids: readonly (string | undefined)[]) => (done ? ids.flatMap((one) => one || []) : []);
  return {
    placed: known(placed),
    cancelled: known(cancelled),
    withdrawn: known(withdrawn),
    code: code === undefined ? null : Number(code),
  };
}
