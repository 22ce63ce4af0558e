import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { InclusiveTimeRange } from '../exchange/clock.js';
import { RequestRefused } from '../refusals.js';

/*
 * The exchange's side of the interface's "Authentication". It shares no code with the client's side, so that a mistake in one is
 * not hidden by the same mistake in the other.
 */

/** What authenticates a request, as it was sent. */
interface Credentials {
  readonly accessKey: string;
  readonly sign: string;
  readonly reqTime: string;
}

/** Reads the common parameters. Throws {@link RequestRefused} if one is missing or `method` is not the path's last segment. */
export function readCredentials(operation: string, parameters: ReadonlyMap<string, string>): Credentials {
  demand(parameters, 'method');
  checkMethod(operation, parameters);
  const accessKey = demand(parameters, 'accesskey');
  return { accessKey, sign: demand(parameters, 'sign'), reqTime: demand(parameters, 'reqTime') };
}

/** Throws {@link RequestRefused} if there is a `method` that is not the path's last segment. */
export function checkMethod(operation: string, parameters: ReadonlyMap<string, string>): void {
  const method = parameters.get('method') ?? operation;
  if (method !== operation) throw new RequestRefused('badParameter', 'method must equal the last segment of the path');
}

function demand(parameters: ReadonlyMap<string, string>, name: string): string {
  const value = parameters.get(name);
  if (value === undefined || value === '') throw new RequestRefused('badParameter', `${name} is missing`);
  return value;
}

/** Verifies signatures. K is cached for each account, which saves a SHA-1 for every request. */
export class Verifier {
  readonly #keys = new Map<string, { secretKey: string; key: KeyObject }>();

  /** Throws {@link RequestRefused} 1003 unless `sign` is the signature of all parameters except `sign` and `reqTime`. */
  checkSignature(
    account: { readonly accessKey: string; readonly secretKey: string },
    parameters: ReadonlyMap<string, string>,
    sign: string,
  ): void {
    this.checkText(account, signedText(parameters), sign);
  }

  /** Throws {@link RequestRefused} 1003 unless `sign` is the signature of a text. */
  checkText(account: { readonly accessKey: string; readonly secretKey: string }, text: string, sign: string): void {
    const expected = createHmac('md5', this.#keyOf(account)).update(text, 'utf8').digest('hex');
    if (expected !== sign) throw new RequestRefused('badSignature');
  }

  #keyOf(account: { readonly accessKey: string; readonly secretKey: string }): KeyObject {
    const cached = this.#keys.get(account.accessKey);
    if (cached?.secretKey === account.secretKey) return cached.key;
    const key = createSecretKey(createHash('sha1').update(account.secretKey, 'utf8').digest('hex'), 'utf8');
    this.#keys.set(account.accessKey, { secretKey: account.secretKey, key });
    return key;
  }
}

/** Names are printable ASCII, so the default order is ASCII order. */
function signedText(parameters: ReadonlyMap<string, string>): string {
  const names = [...parameters.keys()].sort();
  let text = '';
  for (const name of names) {
    if (name === 'sign' || name === 'reqTime') continue;
    text += `${text === '' ? '' : '&'}${name}=${parameters.get(name)}`;
  }
  return text;
}

/** Throws {@link RequestRefused} 3005 if reqTime is not a time in ms, and 3007 if it is none of `times`; `tolerance` in ms is for its words. */
export function checkRequestTime(reqTime: string, times: readonly InclusiveTimeRange[], tolerance: number): void {
  if (!/^\d{1,15}$/.test(reqTime))
    throw new RequestRefused('badParameter', 'reqTime must be milliseconds since the Unix epoch');
  // 15 digits are exact
  const time = Number(reqTime);
  if (!times.some(({ from, to }) => time >= from && time <= to))
    throw new RequestRefused('expired', `more than ${tolerance / 1000} s from the exchange's clock`);
}
