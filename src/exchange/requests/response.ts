import * as v from 'valibot';
import { quotation } from '../../domain/quotation.js';
import type { Refusal, RefusalKind } from '../../domain/refusal.js';
import { asInteger, parseJson, scalarText } from '../../platform/json.js';
import { flag, issueText } from '../operations/fields.js';
import { type OperationName, type OperationNamed, operationOf, operations } from '../operations/index.js';
import type { OperationResult } from '../operations/operation.js';
import { refusalKind, SUCCESS } from './observed-codes.js';

/** The exchange refused the request. `code` is null for market data, which sends none. */
export class Refused extends Error implements Refusal {
  override readonly name = 'Refused';

  constructor(
    readonly code: number | null,
    message: string,
    readonly kind: RefusalKind = refusalKind(code),
  ) {
    super(message);
  }
}

/** An error for a response that breaks the interface. The message names the field or the form. Nothing of the response is used. */
export class UnexpectedResponse extends Error {
  override readonly name = 'UnexpectedResponse';

  constructor(
    message: string,
    /** What the body was; `json` if only its content is wrong. */
    readonly form: 'json' | 'html' | 'empty' | 'truncated' | 'other' = 'json',
  ) {
    super(message);
  }
}

/** An error for an HTTP status with which a front end answered instead of the exchange. */
export class BadStatus extends Error {
  override readonly name = 'BadStatus';

  constructor(
    readonly status: number,
    /** After how many seconds the host wants to be asked again; null if it does not say. */
    readonly retryAfter: number | null,
  ) {
    const isRedirect = status >= 300 && status < 400;
    super(`the host answered with ${isRedirect ? `a redirect (HTTP ${status})` : `HTTP ${status}`}`);
  }
}

/**
 * What a front end means by a status with which it limits a client: 403 is that of a guard which blocks an address for some time, and 418
 * that of one which blocks an address that went on after 429.
 */
export const LIMITING_STATUSES: ReadonlyMap<number, string> = new Map([
  [403, 'a guard in front of the exchange blocks this address'],
  [418, 'this address is blocked for some time because it sent too many requests'],
  [429, 'too many requests'],
]);

/** Called while a body is parsed; throws once the time is over. */
type RequireTime = () => void;

/**
 * The checked body of a response to an operation. Throws {@link Refused} for an error the exchange reports and
 * {@link UnexpectedResponse} for anything that does not fit the operation's description.
 */
export function readResponse<Name extends OperationName>(
  name: Name,
  body: string,
  requireTime?: RequireTime,
): OperationResult<OperationNamed<Name>> {
  const value = readBody(name, body, requireTime);
  const parsed = v.safeParse<v.GenericSchema<unknown, OperationResult<OperationNamed<Name>>>>(schemaOf(name), value, {
    abortEarly: true,
  });
  if (parsed.success) return parsed.output;
  throw new UnexpectedResponse(
    `the response to ${name} does not match the exchange's API: ${issueText(parsed.issues[0])}`,
  );
}

/** Returns the body unchanged. Throws {@link Refused} for an error, and {@link UnexpectedResponse} for anything but JSON. */
export function wholeBody(name: string, body: string, requireTime?: RequireTime): string {
  readBody(name, body, requireTime);
  return body;
}

/** Throws {@link UnexpectedResponse} for anything but JSON, such as an error page. */
export function requireJson(name: string, body: string, requireTime?: RequireTime): void {
  parseBody(name, body, requireTime);
}

function readBody(name: string, body: string, requireTime?: RequireTime): unknown {
  const value = parseBody(name, body, requireTime);
  throwIfRefused(name, value);
  return value;
}

function schemaOf<Name extends OperationName>(name: Name) {
  return operations[name].result as v.GenericSchema<unknown, OperationResult<OperationNamed<Name>>>;
}

function parseBody(name: string, body: string, requireTime?: RequireTime): unknown {
  try {
    return parseJson(body, requireTime);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const form = formOf(body, String(error));
    const what = { html: 'an HTML page', empty: 'empty', truncated: 'cut off', other: 'not readable as JSON' }[form];
    throw new UnexpectedResponse(`the response to ${name} is ${what}`, form);
  }
}

function formOf(body: string, parserMessage: string): 'html' | 'empty' | 'truncated' | 'other' {
  const text = body.trim();
  if (text === '') return 'empty';
  if (text.startsWith('<')) return 'html';
  // the parser reports the end of input, except in the middle of true, false and null
  const endsEarly = /reached end of input/.test(parserMessage) || /[:,[]\s*[a-z]+$/.test(text.slice(-20));
  return /^[{[]/.test(text) && endsEarly ? 'truncated' : 'other';
}

/**
 * Signed errors are `{code, message}`; market-data errors `{error}` or `{result: false, message}`, as observed. A front end may
 * answer a read in the other form. A write counts as refused only by a code.
 */
function throwIfRefused(name: string, value: unknown): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  const { effect } = operationOf(name);
  if (effect === 'write') requireAgreement(name, value);
  if (effect === 'read') throwIfMarketDataError(value);
  throwIfSignedError(value);
}

function throwIfMarketDataError(value: object): void {
  const error = Reflect.get(value, 'error');
  if (error !== undefined && typeof error !== 'object')
    throw new Refused(null, reasonText(scalarText(error) ?? String(error)));
  if (Reflect.get(value, 'result') !== false) return;
  // observed on market-data hosts under load, also after the limit of one K-line request per second
  throw new Refused(null, messageText(Reflect.get(value, 'message')), 'busy');
}

/** Fields that say that a call succeeded, and nothing else. */
export const ENVELOPE_FIELDS: ReadonlySet<string> = new Set(['code', 'message', 'message.des', 'message.isSuc']);

/**
 * Throws {@link UnexpectedResponse} if the response to a write says both that it succeeded and that it failed: neither proves anything.
 * A cancellation that did not succeed was refused: the order itself shows whether it is open.
 * @param value `{code, message}`, where `message` may be an object with `isSuc`
 */
function requireAgreement(name: string, value: object): void {
  const code = asInteger(Reflect.get(value, 'code'));
  const message = Reflect.get(value, 'message');
  const isSuccess = isRecord(message) ? yesOrNo(message.isSuc) : undefined;
  if (code === undefined || isSuccess === undefined || isSuccess === (code === SUCCESS)) return;
  if (name === 'cancelOrder' && !isSuccess) return;
  throw new UnexpectedResponse(`the response to ${name} contradicts itself: code ${code} with isSuc ${isSuccess}`);
}

function yesOrNo(value: unknown): boolean | undefined {
  const parsed = v.safeParse(flag, value);
  return parsed.success ? parsed.output : undefined;
}

function throwIfSignedError(value: object): void {
  const code = asInteger(Reflect.get(value, 'code'));
  const message = Reflect.get(value, 'message');
  if (code === undefined) return;
  if (code !== SUCCESS) throw new Refused(code, messageText(message));
  if (isRecord(message) && yesOrNo(message.isSuc) === false) throw new Refused(code, messageText(message));
}

function messageText(message: unknown): string {
  return reasonText(scalarText(isRecord(message) ? message.des : message));
}

/** The reason that the exchange gave, as a part of a sentence: in its words, or that it gave none. */
export function reasonText(text: string | undefined): string {
  return text === undefined || text.trim() === '' ? 'the exchange gave no reason' : quotation(text);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
