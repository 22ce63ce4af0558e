/*
 * Hosts of this process beside the exchange of a world: they answer literally, without a port. Their addresses are ones where nothing
 * listens, so that a request which is sent over the network all the same is refused.
 */
import { type SendRequest, TransportError } from '../../../src/exchange/connect.js';

/** Returns the body of an answer to a path and its parameters. */
export type LiteralAnswer = (path: string, parameters: URLSearchParams) => string;

const hosts = new Map<string, LiteralAnswer>();
/** The exchange of a world has the first port. */
let nextPort = 2;

/** Has a host answer until it is closed. */
export function openHost(answer: LiteralAnswer): { readonly url: string; close(): void } {
  const url = `http://127.0.0.1:${nextPort++}`;
  hosts.set(url, answer);
  return { url, close: () => void hosts.delete(url) };
}

/** Whether such a host has this URL. */
export function isHostHere(url: string | undefined): url is string {
  return url !== undefined && hosts.has(new URL(url).origin);
}

/** The body of the answer of the host that a URL names. Throws as a network does where nothing listens. */
export function answerOfHost(url: string): string {
  const { origin, pathname, searchParams } = new URL(url);
  const answer = hosts.get(origin);
  if (answer === undefined) throw new TransportError('connectionRefused', false, 'connection refused (ECONNREFUSED)');
  return answer(pathname, searchParams);
}

/** Sends a request to one of these hosts, which answers at once. */
export const sendToHost: SendRequest = async (url, { onResponse }) => {
  const body = answerOfHost(url);
  onResponse?.();
  return { status: 200, body, date: Date.now(), ageMs: 0, retryAfter: null, certificateExpires: null };
};
