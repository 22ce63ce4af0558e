/*
 * Hosts of this process beside the exchange of a world: they answer literally, without a port. Their addresses are ones where nothing
 * listens, so that a request which is sent over the network all the same is refused.
 */
import { type SendRequest, TransportError } from '../../../src/exchange/connect.js';
import { aborted } from './network.js';

/** An answer with what few tests care about. */
export interface HostReply {
  readonly body: string;
  /** Default: 200. */
  readonly status?: number;
  /** What its clock shows, in ms since the Unix epoch (default: as the machine's does). Null: it says no time. */
  readonly date?: number | null;
}

/** Answers a path and its parameters: with a body, or by throwing what the network throws. The signal says that the client gives up. */
export type LiteralAnswer = (
  path: string,
  parameters: URLSearchParams,
  signal: AbortSignal | undefined,
) => string | HostReply | Promise<string | HostReply>;

/** The connection breaks before an answer, and whether the request was executed stays open. For {@link LiteralAnswer}. */
export function lostAnswer(): never {
  throw new TransportError('reset', true, 'connection reset');
}

const hosts = new Map<string, LiteralAnswer>();
/** The exchange of a world has the first port. */
let nextPort = 2;

/** Has a host answer until it is closed. */
export function openHost(answer: LiteralAnswer): { readonly url: string; close(): void } {
  // without the port where that is the usual one, as whoever looks the host up has it
  const url = new URL(`http://127.0.0.1:${nextPort++}`).origin;
  hosts.set(url, answer);
  return { url, close: () => void hosts.delete(url) };
}

/** Whether such a host has this URL. */
export function isHostHere(url: string | undefined): url is string {
  return url !== undefined && hosts.has(new URL(url).origin);
}

/** The answer of the host that a URL names. Throws as a network does where nothing listens. */
export async function answerOfHost(url: string, signal?: AbortSignal): Promise<HostReply> {
  const { origin, pathname, searchParams } = new URL(url);
  const answer = hosts.get(origin);
  if (answer === undefined) throw new TransportError('connectionRefused', false, 'connection refused (ECONNREFUSED)');
  const reply = await answer(pathname, searchParams, signal);
  return typeof reply === 'string' ? { body: reply } : reply;
}

/** Sends a request to one of these hosts, which answers at once. */
export const sendToHost: SendRequest = async (url, { signal, onResponse }) => {
  const over = new AbortController();
  try {
    const reply = await Promise.race([answerOfHost(url, signal), aborted(signal, over.signal)]);
    const { body, status = 200, date = Date.now() } = reply;
    onResponse?.();
    return { status, body, date, ageMs: 0, retryAfter: null, certificateExpires: null };
  } finally {
    // with a reason, because each abort without one makes an error
    over.abort('over');
  }
};
