import * as v from 'valibot';
import { choiceOf } from '../../domain/kind.js';
import { FAULT_KINDS, type FaultKind } from '../faults/rules.js';

/*
 * The kinds of parameter of an administration call, and those that `pit sandbox` checks on its command line, too. Messages are what
 * follows the name of the parameter. This file loads nothing of the exchange.
 */

const DAY = 86_400_000;
/** The end of the year 9999, in ms. Later times have other ISO dates. */
export const LATEST_TIME = 253_402_300_799_999;

export const text = v.pipe(v.string('is missing'), v.nonEmpty('is missing'));

/** Missing is the same as false. */
export const toggle = v.optional(v.boolean('must be true or false'), false);

/** A number between `min` and `max`, both included. */
function number(min: number, max: number) {
  const rule = `must be a number from ${min} to ${max}`;
  return v.pipe(v.number(rule), v.minValue(min, rule), v.maxValue(max, rule));
}

export function whole(min: number, max: number) {
  const rule = `must be a whole number from ${min} to ${max}`;
  return v.pipe(v.number(rule), v.minValue(min, rule), v.maxValue(max, rule), v.safeInteger(rule));
}

export type NumberSchema = ReturnType<typeof number> | ReturnType<typeof whole>;

function word<const Word extends string>(...of: readonly Word[]) {
  return v.picklist(of, ({ input }) => `${choiceOf(...of).rule}, not ${JSON.stringify(input)}`);
}

export const optional = v.optional;

/** What is wrong with a value, in words for its sender. */
export function problemOf(issue: v.BaseIssue<unknown>): string {
  const [{ key } = { key: '' }] = issue.path ?? [];
  return issue.input === undefined ? `${key} is missing.` : `${key} ${issue.message}.`;
}

/** What a key may do. */
export const PERMISSION = word('asset', 'lever', 'entrust', 'money');

/** Of the clock, as a multiple of the machine's. */
export const SPEED = number(0.001, 100_000);
/** In ms. */
export const ADVANCE = whole(0, 3_650 * DAY);
/** How long a market takes to a price, in ms. */
export const PRICE_MOVE = whole(0, 365 * DAY);
/** How long orders and pushes take, in ms. */
export const LATENCY = whole(0, 60_000);

const COUNT = whole(1, 999_999_999);
export const FAULT_ID = COUNT;
/** The number of an entry of the faults' log. */
export const LOGGED = whole(0, 1e12);
/** A rule by which requests or frames fail. */
export const FAULT = {
  kind: word(...(Object.keys(FAULT_KINDS) as FaultKind[])),
  probability: number(0, 1),
  count: COUNT,
  every: COUNT,
  /** In ms. */
  delay: whole(0, 3_600_000),
  /** In ms. */
  skew: whole(-DAY, DAY),
} as const;

/** Names the refusal of a call that would lose what customers did, which `force` overrides. */
export const LOSES_STATE = 'losesState';
