import type { Operation } from '../../exchange/operations/operation.js';
import type { Parameter } from '../../exchange/operations/parameters.js';
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
  const { parameters, groups } = factsOf(operation);
  for (const [name, parameter] of parameters) {
    const value = checkedValue(name, parameter, received);
    if (value !== undefined) values[name] = value;
  }
  checkGroups(groups, values);
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
function checkGroups(groups: Facts['groups'], values: Readonly<Record<string, string | undefined>>): void {
  for (const names of groups) {
    if (names.filter((name) => values[name] !== undefined).length === 1) continue;
    throw new Refusal('badParameter', `exactly one of ${names.join(' and ')} is given`);
  }
}

interface Facts {
  readonly parameters: readonly (readonly [name: string, parameter: Parameter])[];
  /** The names of each group. */
  readonly groups: readonly (readonly string[])[];
}

const known = new WeakMap<Operation, Facts>();

/** What an operation says of its parameters, found once. */
function factsOf(operation: Operation): Facts {
  const found = known.get(operation);
  if (found !== undefined) return found;
  const parameters = Object.entries(operation.parameters);
  const groups = new Map<string, string[]>();
  for (const [name, { group }] of parameters) {
    if (group !== undefined) groups.set(group, [...(groups.get(group) ?? []), name]);
  }
  const facts = { parameters, groups: [...groups.values()] };
  known.set(operation, facts);
  return facts;
}
