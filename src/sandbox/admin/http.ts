import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Advice } from '../../errors.js';
import { Refusal } from '../refusals.js';

/** Refuses an admin call: what was wrong and how to fix it. Nothing was changed. */
export class AdminRefusal extends Error {
  override readonly name = 'AdminRefusal';

  constructor(
    message: string,
    readonly hint: Advice | null = null,
    /** Names the refusal for a program that can do something about it. */
    readonly reason: string | null = null,
  ) {
    super(message);
  }
}

/** `afterwards` runs after the answer was sent. */
interface AdminAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly afterwards?: () => void;
}

export type AdminCall = (input: AdminInput) => AdminAnswer | Promise<AdminAnswer>;

/** A call whose result is the body of its answer. */
export function jsonCall<Result>(work: (input: AdminInput) => Result | Promise<Result>): AdminCall {
  return async (input) => ({ status: 200, body: await work(input) });
}

/** The JSON input of a call. Each reader throws {@link AdminRefusal} if a value is missing or wrong. */
export class AdminInput {
  constructor(private readonly values: Readonly<Record<string, unknown>>) {}

  text(name: string): string {
    const value = this.values[name];
    if (typeof value === 'string' && value !== '') return value;
    throw new AdminRefusal(`${name} is missing.`, `Give ${name} as a JSON string.`);
  }

  optionalText(name: string): string | undefined {
    return this.has(name) ? this.text(name) : undefined;
  }

  texts(name: string): string[] | undefined {
    const value = this.values[name];
    if (value === undefined || value === null) return undefined;
    if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
    throw new AdminRefusal(`${name} is not a list of texts.`);
  }

  /** A finite number between `least` and `most`, both included. */
  number(name: string, min: number, max: number): number {
    const value = this.values[name];
    if (typeof value === 'number' && value >= min && value <= max) return value;
    throw new AdminRefusal(`${name} must be a number from ${min} to ${max}.`);
  }

  /** A whole number between `least` and `most`, both included. */
  whole(name: string, min: number, max: number): number {
    const value = this.number(name, min, max);
    if (Number.isSafeInteger(value)) return value;
    throw new AdminRefusal(`${name} must be a whole number.`);
  }

  optionalNumber(name: string, min: number, max: number): number | undefined {
    return this.has(name) ? this.number(name, min, max) : undefined;
  }

  optionalWhole(name: string, min: number, max: number): number | undefined {
    return this.has(name) ? this.whole(name, min, max) : undefined;
  }

  isSet(name: string): boolean {
    return this.values[name] === true;
  }

  private has(name: string): boolean {
    return this.values[name] !== undefined && this.values[name] !== null;
  }
}

/** In bytes. */
const LARGEST_INPUT = 65_536;

/**
 * Serves admin calls on a port of their own, with a bearer token. `calls` is keyed by method and path, such as `POST /stop`; the
 * input of a call is a JSON object in the body.
 */
export function adminListener(token: string, calls: ReadonlyMap<string, AdminCall>): RequestListener {
  return (request, response) => {
    const asked = authorized(request, token) ? answerTo(request, calls) : refused(request, DENIED);
    void asked.then((answer) => {
      response.statusCode = answer.status;
      response.setHeader('Content-Type', 'application/json');
      response.setHeader('Connection', 'close');
      response.end(`${JSON.stringify(answer.body)}\n`, () => answer.afterwards?.());
    });
  };
}

const DENIED: AdminAnswer = { status: 401, body: { error: 'the admin token is missing or wrong' } };
const UNKNOWN: AdminAnswer = { status: 404, body: { error: 'no such administration call' } };

async function refused(request: IncomingMessage, answer: AdminAnswer): Promise<AdminAnswer> {
  request.resume();
  return answer;
}

async function answerTo(request: IncomingMessage, calls: ReadonlyMap<string, AdminCall>): Promise<AdminAnswer> {
  const call = calls.get(`${request.method} ${request.url}`);
  if (call === undefined) return refused(request, UNKNOWN);
  try {
    return await call(new AdminInput(await inputOf(request)));
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): AdminAnswer {
  if (error instanceof AdminRefusal) {
    const { message, hint, reason } = error;
    return { status: 400, body: { error: message, hint, reason } };
  }
  if (error instanceof Refusal)
    return { status: 400, body: { error: error.message, hint: null, reason: error.reason } };
  return { status: 500, body: { error: error instanceof Error ? error.message : String(error) } };
}

async function inputOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size <= LARGEST_INPUT) pieces.push(piece);
  }
  if (size > LARGEST_INPUT) throw new AdminRefusal(`The input is larger than ${LARGEST_INPUT} bytes.`);
  return size === 0 ? {} : objectIn(Buffer.concat(pieces).toString('utf8'));
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // refused below, like other JSON
  }
  throw new AdminRefusal('The input is not a JSON object.');
}

/** Digests have the same length, so that the comparison reveals nothing about the token. */
function authorized(request: IncomingMessage, token: string): boolean {
  return timingSafeEqual(digest(request.headers.authorization ?? ''), digest(`Bearer ${token}`));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
