import { setTimeout as delay } from 'node:timers/promises';
import { PASS, type Passing, type Treatment } from '../../support/proxy.js';
import { between, chosen, type Draw } from './draw.js';
import { keyOf } from './kinds/index.js';
import type { Lane, Sight } from './lane.js';

/** A moment at which a command is killed. */
export interface KillPoint {
  readonly name: string;
  /** Whether the action itself is killed, or `pit resolve` after it. */
  readonly of: 'action' | 'resolve';
  /** The signal (default: `kill -9`). */
  readonly signal?: 'SIGINT';
  /** The only kind of action that reaches it (default: any). */
  readonly kind?: 'batch';
  /** The size of a batch there. */
  readonly batches?: readonly number[];
  /** Whether the write has always been sent by then. */
  readonly isAfterSending?: true;
  /** Resolves at the moment of the kill; starts to watch before the command starts. */
  readonly moment: (lane: Lane, draw: Draw) => Promise<void>;
}

const isWrite = (request: Passing | undefined) => request !== undefined && keyOf(request) !== undefined;
const isRead = (request: Passing | undefined) => request !== undefined && keyOf(request) === undefined;

/** Whether a command has recorded its write, or begun to send a cancellation, which has no record. */
const isBegun = ({ what, request }: Sight) => what === 'recorded' || (what === 'read' && isCancellation(request));
const isCancellation = (request: Passing | undefined) => request?.operation === 'cancelOrder';

/** Mostly no delay, otherwise up to this many ms. */
async function after(lane: Lane, draw: Draw, ms: number, fits: (sight: Sight) => boolean): Promise<void> {
  await lane.sees(fits);
  if (draw() < 0.6) return;
  await delay(between(draw, 0, ms));
}

export const KILL_POINTS: readonly KillPoint[] = [
  {
    name: 'before the record',
    of: 'action',
    // from the start of the program to about the write of the record, which for an order follows a first read
    moment: async (lane, draw) => {
      if (draw() < 0.4) return delay(between(draw, 20, 90));
      const looked = lane.sees(({ what, request }) => what === 'read' && isRead(request));
      await Promise.race([looked, delay(300)]);
    },
  },
  {
    name: 'after the record',
    of: 'action',
    moment: (lane, draw) => after(lane, draw, 2, isBegun),
  },
  {
    name: 'while sending',
    of: 'action',
    moment: (lane, draw) => {
      let isRecorded = false;
      return after(lane, draw, 1, ({ what, request }) => {
        isRecorded ||= what === 'recorded';
        const isSending = what === 'connected' || (what === 'read' && isWrite(request));
        return isSending && (isRecorded || isCancellation(request));
      });
    },
  },
  {
    name: 'after the answer',
    of: 'action',
    isAfterSending: true,
    moment: (lane, draw) => after(lane, draw, 4, ({ what, request }) => what === 'replied' && isWrite(request)),
  },
  {
    name: 'before the final record',
    of: 'action',
    moment: async (lane, draw) => {
      if (draw() < 0.5) return lane.sees(({ what }) => what === 'archived');
      await lane.sees(({ what, request }) => what === 'replied' && isWrite(request));
      await Promise.race([
        after(lane, draw, 3, ({ what, request }) => what === 'replied' && isRead(request)),
        // a write that was rejected is settled without a further read
        delay(30),
      ]);
    },
  },
  {
    name: 'interrupted by Ctrl-C',
    of: 'action',
    signal: 'SIGINT',
    moment: async (lane, draw) => {
      await lane.sees(isBegun);
      await delay(between(draw, 0, 40));
    },
  },
  {
    name: 'during a batch',
    of: 'action',
    kind: 'batch',
    batches: [60, 110, 160],
    // with some requests answered, others on their way, and the rest not sent
    moment: async (lane, draw) => {
      const what = chosen(draw, ['read', 'replied', 'recorded'] as const);
      let left = Math.floor(between(draw, 1, 8));
      await lane.sees((sight) => {
        if (sight.what === what && (what === 'recorded' || isWrite(sight.request))) left -= 1;
        return left <= 0;
      });
    },
  },
  {
    name: 'during resolve',
    of: 'resolve',
    moment: async (lane, draw) => {
      const what = chosen(draw, ['read', 'replied', 'recorded', 'archived', 'time'] as const);
      if (what === 'time') return delay(between(draw, 60, 1_500));
      let left = Math.floor(between(draw, 1, what === 'archived' ? 2 : 8));
      await lane.sees((sight) => {
        if (sight.what === what) left -= 1;
        return left <= 0;
      });
    },
  },
];

const RESET = { kind: 'nothing', end: 'reset' } as const;

/** The treatment of a killed action's write: mostly a normal one. */
export function killedTreatment(draw: Draw, tolerance: number): Treatment {
  const late = between(draw, 200, tolerance);
  return chosen<Treatment>(draw, [
    ...Array<Treatment>(6).fill(PASS),
    { ...PASS, name: 'answered late', pause: between(draw, 10, 300) },
    { name: 'done twice', forward: [0, 0], awaited: 2, reply: { kind: 'answer', of: 0 } },
    { name: 'done twice, once of it late', forward: [0, late], awaited: 1, reply: { kind: 'answer', of: 0 } },
    { name: 'done late', forward: [late], awaited: 0, reply: RESET },
  ]);
}

/** Nothing after the write comes through, so that its outcome stays unknown. */
export function blindTreatment(draw: Draw, tolerance: number): (request: Passing) => Treatment {
  const late = between(draw, 200, tolerance);
  const write = chosen<Treatment>(draw, [
    { name: 'lost before the exchange', forward: [], awaited: 0, reply: RESET },
    { name: 'done, the answer lost', forward: [0], awaited: 1, reply: RESET },
    { name: 'done twice, the answers lost', forward: [0, 0], awaited: 2, reply: RESET },
    { name: 'done late', forward: [late], awaited: 0, reply: RESET },
  ]);
  const blind: Treatment = { name: 'lost', forward: [], awaited: 0, reply: RESET };
  let hasLeft = false;
  return (request) => {
    if (keyOf(request) === undefined) return hasLeft ? blind : PASS;
    hasLeft = true;
    return write;
  };
}
