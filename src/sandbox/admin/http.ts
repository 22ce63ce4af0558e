import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Advice } from '../../errors.js';
import { RequestRefused } from '../refusals.js';

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

interface AdminAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Carries out a call with the JSON object in its body; what it gives is the answer. Throws {@link AdminRefusal} and RequestRefused. */
export type AdminHandler = (input: Readonly<Record<string, unknown>>) => unknown;

/** In bytes. */
const LARGEST_INPUT = 65_536;

/**
 * Serves admin calls on a port of their own, with a bearer token. `calls` is keyed by method and path, such as `POST /stop`; the
 * input of a call is a JSON object in the body.
 */
export function adminListener(token: string, calls: ReadonlyMap<string, AdminHandler>): RequestListener {
  return (request, response) => {
    const asked = authorized(request, token) ? answerTo(request, calls) : refused(request, DENIED);
    void asked.then((answer) => {
      response.statusCode = answer.status;
      response.setHeader('Content-Type', 'application/json');
      response.setHeader('Connection', 'close');
      response.end(`${JSON.stringify(answer.body)}\n`);
    });
  };
}

const DENIED: AdminAnswer = { status: 401, body: { error: 'the admin token is missing or wrong' } };
const UNKNOWN: AdminAnswer = { status: 404, body: { error: 'no such administration call' } };

async function refused(request: IncomingMessage, answer: AdminAnswer): Promise<AdminAnswer> {
  request.resume();
  return answer;
}

async function answerTo(request: IncomingMessage, calls: ReadonlyMap<string, AdminHandler>): Promise<AdminAnswer> {
  const call = calls.get(`${request.method} ${request.url}`);
  if (call === undefined) return refused(request, UNKNOWN);
  try {
    return { status: 200, body: await call(await inputOf(request)) };
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): AdminAnswer {
  if (error instanceof AdminRefusal) {
    const { message, hint, reason } = error;
    return { status: 400, body: { error: message, hint, reason } };
  }
  if (error instanceof RequestRefused)
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
