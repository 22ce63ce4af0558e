import type { Operation } from '../../protocol/operation.js';
import type { Parameter } from '../../protocol/parameters.js';
import { Refusal } from '../refusals.js';
import { PARAMETER_REFUSALS, SWITCHED, SWITCHES } from './choices.js';

/**
 * Checks the received parameters against the operation's own and gives those that were given. Parameters that the
 * interface does not know are ignored, as observed; an optional one with an empty value counts as not given.
 *
 * Throws {@link Refusal} for a missing or wrong one.
 */
export function checkParameters(
  operation: Operation,
  received: ReadonlyMap<string, string>,
): Record<string, string | undefined> {
  const values: Record<string, string | undefined> = {};
  for (const [name, parameter] of Object.entries(operation.parameters)) {
    const value = checkedValue(name, parameter, received);
    if (value !== undefined) values[name] = value;
  }
  checkGroups(operation, values);
  return values;
}

function checkedValue(name: string, parameter: Parameter, received: ReadonlyMap<string, string>): string | undefined {
  const sent = received.get(name) ?? '';
  if (sent === '') {
    if (parameter.required) throw new Refusal('badParameter', `${name} is missing`);
    return undefined;
  }
  const value = SWITCHED.has(name) ? (SWITCHES[sent] ?? sent) : sent;
  const complaint = parameter.kind.complaint(value);
  if (complaint !== undefined) throw new Refusal(PARAMETER_REFUSALS[name] ?? 'badParameter', `${name} ${complaint}`);
  return value;
}

/** "Exactly one of `id` and `customerOrderId` is given." */
function checkGroups(operation: Operation, values: Readonly<Record<string, string | undefined>>): void {
  for (const names of groupsOf(operation)) {
    if (names.filter((name) => values[name] !== undefined).length === 1) continue;
    throw new Refusal('badParameter', `exactly one of ${names.join(' and ')} is given`);
  }
}

const known = new WeakMap<Operation, readonly string[][]>();

/** The names of each group; they are facts of the operation, found once. */
function groupsOf(operation: Operation): readonly string[][] {
  const found = known.get(operation);
  if (found !== undefined) return found;
  const groups = new Map<string, string[]>();
  for (const [name, { group }] of Object.entries(operation.parameters)) {
    if (group !== undefined) groups.set(group, [...(groups.get(group) ?? []), name]);
  }
  const names = [...groups.values()];
  known.set(operation, names);
  return names;
}
