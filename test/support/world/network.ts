import { type SendRequest, TransportError } from '../../../src/exchange/connect.js';
import type { HttpResponse } from '../../../src/exchange/requests/transport.js';
import type { ServedAnswer } from '../../../src/sandbox/rehearsal/private-sandbox.js';
import type { WorldClock } from './clock.js';

/** A request as it passed. */
export interface Passed {
  /** The last segment of the path: `order`. */
  readonly operation: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** When it was sent, in ms since the Unix epoch. */
  readonly time: number;
  /** The body of the exchange's answer for each time that it was executed. */
  readonly answers: string[];
  /** What became of the answer; undefined while the client waits. */
  reply?: Treatment['reply'];
}

/** What the network does with a request. */
export interface Treatment {
  /** When it arrives, in milliseconds after it was sent, each time that it does; never if empty. */
  readonly arrives: readonly number[];
  /** What the client gets once all have been answered that arrive by `by`. `never`: nothing, until it gives up. */
  readonly reply: 'answer' | 'reset' | 'cut' | 'never';
  /** How many executions the answer waits for (default: the first). */
  readonly awaited?: number;
  /** In milliseconds, before the reply. */
  readonly pause?: number;
  /** The status and the body that the client gets instead of the exchange's. */
  readonly instead?: { readonly status?: number; readonly body: string };
}

export const PASS: Treatment = { arrives: [0], reply: 'answer' };
/** It never arrives, and the connection breaks. */
export const LOST: Treatment = { arrives: [], awaited: 0, reply: 'reset' };
/** It is executed, and the connection breaks before an answer. */
export const LOST_ANSWER: Treatment = { arrives: [0], reply: 'reset' };
/** It is executed, and the answer breaks off. */
export const CUT_ANSWER: Treatment = { arrives: [0], reply: 'cut' };
/** It never arrives, and nothing comes back. */
export const SILENCE: Treatment = { arrives: [], awaited: 0, reply: 'never' };
/** It is executed twice, and answered once. */
export const TWICE: Treatment = { arrives: [0, 0], awaited: 2, reply: 'answer' };
/** The connection breaks at once, and it is executed later. */
export const late = (ms: number): Treatment => ({ arrives: [ms], awaited: 0, reply: 'reset' });
/** It is executed at once, and answered later. */
export const slow = (ms: number): Treatment => ({ arrives: [0], reply: 'answer', pause: ms });
/** Something between pit and the exchange answers. */
export const instead = (body: string, status = 200): Treatment => ({
  ...{ arrives: [], awaited: 0, reply: 'answer', instead: { body, status } },
});

const SECOND_MS = 1_000;

/** The network between the processes of a world and its exchange. */
export class WorldNetwork {
  readonly #clock: WorldClock;
  readonly #answer: (url: string) => Promise<ServedAnswer>;
  readonly #latencyMs: number;
  readonly #dateOfAnswers: () => number;
  /** Every request, in the order in which they were sent. */
  readonly requests: Passed[] = [];
  /** Decides about each request. */
  treat: (request: Passed) => Treatment = () => PASS;
  /** Changes the body of each answer on its way. */
  rewrite: (body: string, request: Passed) => string = (body) => body;

  constructor(
    clock: WorldClock,
    answer: (url: string) => Promise<ServedAnswer>,
    latencyMs: number,
    dateOfAnswers: () => number,
  ) {
    this.#clock = clock;
    this.#dateOfAnswers = dateOfAnswers;
    this.#answer = answer;
    this.#latencyMs = latencyMs;
  }

  /** Sends a request. It ends within its timeout on the clock of the world. */
  readonly send: SendRequest = async (url, { timeoutMs, signal, onResponse }) => {
    const { pathname, searchParams } = new URL(url);
    const operation = pathname.split('/').at(-1) ?? '';
    const request: Passed = {
      ...{ operation, parameters: Object.fromEntries(searchParams), time: this.#clock.now(), answers: [] },
    };
    this.requests.push(request);
    const over = new AbortController();
    try {
      const response = await Promise.race([
        this.#carry(request, url),
        this.#clock.sleep(timeoutMs, over.signal).then(() => undefined),
        aborted(signal, over.signal),
      ]);
      if (response === undefined) throw new TransportError('timeout', true, 'no answer in time');
      onResponse?.();
      return response;
    } finally {
      // with a reason, because each abort without one makes an error
      over.abort('over');
    }
  };

  async #carry(request: Passed, url: string): Promise<HttpResponse> {
    const treatment = this.treat(request);
    const { arrives, awaited = 1, reply, pause = 0 } = treatment;
    const answers = arrives.map((after) => this.#execute(request, url, after));
    const [first] = await Promise.all(answers.slice(0, awaited));
    await this.#pass(pause + this.#latencyMs);
    request.reply = reply;
    if (reply === 'never') return new Promise(() => undefined);
    if (reply === 'reset') throw new TransportError('reset', true, 'connection reset');
    if (reply === 'cut') throw new TransportError('truncated', true, 'the answer was cut off');
    const response = responseOf(first ?? insteadOf(treatment), this.#dateOfAnswers());
    return { ...response, body: this.rewrite(response.body, request) };
  }

  async #execute(request: Passed, url: string, after: number): Promise<ServedAnswer> {
    await this.#pass(after + this.#latencyMs);
    const answer = await this.#answer(url);
    request.answers.push(answer.reply.kind === 'closed' ? '' : answer.reply.body);
    return answer;
  }

  async #pass(ms: number): Promise<void> {
    if (ms > 0) await this.#clock.sleep(ms);
  }
}

function insteadOf({ instead: own }: Treatment): ServedAnswer {
  const { status = 200, body = '' } = own ?? {};
  return { reply: { kind: 'whole', status, type: '', body, headers: {} }, skew: 0 };
}

function responseOf({ reply, skew }: ServedAnswer, now: number): HttpResponse {
  if (reply.kind === 'closed') throw new TransportError('reset', true, 'connection reset');
  if (reply.kind === 'cut') throw new TransportError('truncated', true, 'the answer was cut off');
  const date = Math.floor((now + skew) / SECOND_MS) * SECOND_MS;
  return { status: reply.status, body: reply.body, date, ageMs: 0, retryAfter: null, certificateExpires: null };
}

/** Rejects when the sender cancels the request. */
export function aborted(signal: AbortSignal | undefined, over: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(new TransportError('cancelled', true, 'the request was cancelled'));
    if (signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort, { once: true });
    over.addEventListener('abort', () => signal?.removeEventListener('abort', abort), { once: true });
  });
}
