import * as v from 'valibot';
import { choiceOf } from '../../domain/kind.js';

/*
 * The kinds of parameter of an administration call. The sandbox checks its JSON by them, and `pit sandbox` the words of its command
 * line. Messages are what follows the name of the parameter.
 */

export const text = v.pipe(v.string('is missing'), v.nonEmpty('is missing'));

/** Missing is the same as false. */
export const toggle = v.optional(v.boolean('must be true or false'), false);

/** A number between `min` and `max`, both included. */
export function number(min: number, max: number) {
  const rule = `must be a number from ${min} to ${max}`;
  return v.pipe(v.number(rule), v.minValue(min, rule), v.maxValue(max, rule));
}

export function whole(min: number, max: number) {
  const rule = `must be a whole number from ${min} to ${max}`;
  return v.pipe(v.number(rule), v.minValue(min, rule), v.maxValue(max, rule), v.safeInteger(rule));
}

export function word<const Word extends string>(...of: readonly Word[]) {
  return v.picklist(of, ({ input }) => `${choiceOf(...of).rule}, not ${JSON.stringify(input)}`);
}

export const optional = v.optional;

/** What is wrong with a value, in words for its sender; undefined if nothing is. */
export function problemOf(issue: v.BaseIssue<unknown>): string {
  const [{ key } = { key: '' }] = issue.path ?? [];
  return issue.input === undefined ? `${key} is missing.` : `${key} ${issue.message}.`;
}
