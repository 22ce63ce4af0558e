import type { Passing, Treatment } from '../../support/proxy.js';
import { PASS } from '../../support/proxy.js';
import type { Action } from './action.js';
import { between, chosen, type Draw, drawOf, weighted } from './draw.js';

/** The time limits of the network, in ms. */
export interface Times {
  /** The tolerance of the exchange. */
  readonly tolerance: number;
}

interface Fault {
  readonly name: string;
  readonly weight: number;
  readonly make: (draw: Draw, times: Times) => Omit<Treatment, 'name'>;
}

const PAGE =
  'HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<html><h1>502 Bad Gateway</h1></html>';

const HTML_AS_ANSWER =
  'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<html><h1>Please wait</h1></html>';

/** A delay within the tolerance, mostly longer than the client waits. */
function late(draw: Draw, { tolerance }: Times): number {
  return between(draw, 300, tolerance + 400);
}

/** No delay, or a short one. */
function soon(draw: Draw): number {
  return draw() < 0.5 ? 0 : between(draw, 0, 60);
}

/** Missing or unusable answers, after an execution or without one. */
const BAD_ENDS: readonly Treatment['reply'][] = [
  { kind: 'nothing', end: 'reset' },
  { kind: 'nothing', end: 'close' },
  { kind: 'nothing', end: 'never' },
  { kind: 'own', bytes: PAGE },
  { kind: 'own', bytes: HTML_AS_ANSWER },
];

/** The treatments of a write. */
const WRITE_FAULTS: readonly Fault[] = [
  { name: 'pass', weight: 30, make: () => PASS },
  {
    name: 'lost before the exchange',
    weight: 12,
    make: (draw) => ({ forward: [], awaited: 0, reply: chosen(draw, BAD_ENDS) }),
  },
  {
    name: 'done, the answer lost',
    weight: 18,
    make: (draw) => ({ forward: [soon(draw)], awaited: 1, reply: chosen(draw, BAD_ENDS) }),
  },
  {
    name: 'done, the answer cut off',
    weight: 8,
    make: (draw) => ({
      forward: [soon(draw)],
      awaited: 1,
      reply: {
        ...{ kind: 'part', of: 0, share: draw(), pieces: 1 + Math.floor(draw() * 4) },
        end: chosen(draw, ['reset', 'close', 'never']),
      },
    }),
  },
  {
    name: 'done, the answer slow',
    weight: 3,
    make: (draw) => ({
      forward: [soon(draw)],
      awaited: 1,
      pause: between(draw, 0, 800),
      reply: { kind: 'part', of: 0, share: 1, pieces: 6, end: 'never' },
    }),
  },
  {
    name: 'held, then done and answered',
    weight: 5,
    make: (draw) => ({ forward: [between(draw, 100, 1_200)], awaited: 1, reply: { kind: 'answer', of: 0 } }),
  },
  {
    name: 'given up, and done later',
    weight: 12,
    make: (draw, times) => ({ forward: [late(draw, times)], awaited: 0, reply: chosen(draw, BAD_ENDS) }),
  },
  {
    name: 'done twice, one answer given',
    weight: 10,
    make: (draw) => ({
      forward: [soon(draw), soon(draw)],
      awaited: 2,
      reply: { kind: 'answer', of: draw() < 0.5 ? 0 : 1 },
    }),
  },
  {
    name: 'done twice, the answers lost',
    weight: 5,
    make: (draw) => ({ forward: [soon(draw), soon(draw)], awaited: 2, reply: chosen(draw, BAD_ENDS) }),
  },
  {
    name: 'done and answered, and done again later',
    weight: 5,
    make: (draw, times) => ({ forward: [0, late(draw, times)], awaited: 1, reply: { kind: 'answer', of: 0 } }),
  },
  {
    name: 'done, the answer lost, and done again later',
    weight: 5,
    make: (draw, times) => ({ forward: [0, late(draw, times)], awaited: 1, reply: chosen(draw, BAD_ENDS) }),
  },
  {
    name: 'given up, and done twice later',
    weight: 3,
    make: (draw, times) => ({
      forward: [late(draw, times), late(draw, times)],
      awaited: 0,
      reply: chosen(draw, BAD_ENDS),
    }),
  },
];

/** The treatments of a read: it may be repeated, so only the answer matters. */
const READ_FAULTS: readonly Fault[] = [
  { name: 'lost', weight: 4, make: (draw) => ({ forward: [], awaited: 0, reply: chosen(draw, BAD_ENDS.slice(0, 2)) }) },
  {
    name: 'unanswered',
    weight: 1,
    make: () => ({ forward: [], awaited: 0, reply: { kind: 'nothing', end: 'never' } }),
  },
  { name: 'a page', weight: 3, make: (draw) => ({ forward: [], awaited: 0, reply: chosen(draw, BAD_ENDS.slice(3)) }) },
  {
    name: 'cut off',
    weight: 3,
    make: (draw) => ({
      forward: [0],
      awaited: 1,
      reply: { kind: 'part', of: 0, share: draw(), pieces: 2, end: chosen(draw, ['reset', 'close']) },
    }),
  },
  { name: 'slow', weight: 3, make: (draw) => ({ ...PASS, pause: between(draw, 100, 900) }) },
  { name: 'held', weight: 3, make: (draw) => ({ ...PASS, forward: [between(draw, 100, 900)] }) },
];

/** The share of the reads of an operation that are disturbed. */
const DISTURBED: Readonly<Record<string, number>> = { getOrder: 0.12, getOrders: 0.06, getWithdrawRecord: 0.08 };
const OTHERS_DISTURBED = 0.04;

/** Chooses the treatment of each request by a seed: of a write by its action, of a read by its number. */
export class Network {
  readonly #seed: number;
  readonly #times: Times;
  readonly #keyOf: (request: Passing) => string | undefined;

  /** If calm, everything passes. */
  isCalm = false;
  readonly #actions = new Map<string, Action>();
  readonly #counts = new Map<string, number>();

  constructor(seed: number, times: Times, keyOf: (request: Passing) => string | undefined) {
    this.#seed = seed;
    this.#times = times;
    this.#keyOf = keyOf;
  }

  expect(action: Action): void {
    for (const key of action.keys) this.#actions.set(key, action);
  }

  readonly treat = (request: Passing): Treatment => {
    if (this.isCalm) return PASS;
    const key = this.#keyOf(request);
    return key === undefined ? this.#read(request) : this.#write(this.#actions.get(key)?.number ?? -1);
  };

  #write(number: number): Treatment {
    const draw = drawOf(this.#seed, 'write', number, this.#count(`write ${number}`));
    return made(weighted(draw, WRITE_FAULTS), draw, this.#times);
  }

  #read({ operation }: Passing): Treatment {
    const draw = drawOf(this.#seed, operation, this.#count(operation));
    if (draw() >= (DISTURBED[operation] ?? OTHERS_DISTURBED)) return PASS;
    return made(weighted(draw, READ_FAULTS), draw, this.#times);
  }

  #count(name: string): number {
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return count;
  }
}

function made({ name, make }: Fault, draw: Draw, times: Times): Treatment {
  const treatment = make(draw, times);
  const when = treatment.forward.map((ms) => Math.round(ms)).join(', ');
  return { ...treatment, name: `${name} (${when === '' ? 'never' : `after ${when} ms`}, ${replyWords(treatment)})` };
}

function replyWords({ reply }: Omit<Treatment, 'name'>): string {
  if (reply.kind === 'answer') return `answer ${reply.of}`;
  if (reply.kind === 'part') return `${Math.round(reply.share * 100)} % of the answer, ${reply.end}`;
  return reply.kind === 'own' ? 'a page' : reply.end;
}

/** Whether all executions of a request ended before the client got its reply. */
export function isPrompt({ executions, replied }: Passing): boolean {
  return replied !== undefined && executions.every(({ ended }) => ended !== undefined && ended <= replied);
}
