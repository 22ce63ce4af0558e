import type { Operation, Parameter } from '../../exchange/operations/operation.js';
import { RequestRefused } from '../refusals.js';
import { type Dialect, PARAMETER_REFUSALS, SWITCHED, SWITCHES } from './interface-details.js';
import { normalizeParameter } from './observed-requests.js';

/** A request target in its two parts, as they were sent. */
interface Target {
  readonly path: string;
  readonly query: string;
}

const ABSOLUTE = /^https?:\/\/[^/?#]*/i;

/** Splits a request target, also in the absolute form that proxies send. */
export function splitTarget(url: string): Target {
  const target = url.startsWith('/') ? url : url.replace(ABSOLUTE, '');
  const mark = target.indexOf('?');
  return mark === -1 ? { path: target, query: '' } : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

/** More than any operation has, because clients may send unknown ones. */
const MAX_PARAMETERS = 100;

/**
 * Reads a query string as most servers read a form: `+` is a space, percent sequences are UTF-8. The values are decoded, as they
 * are signed. Chosen: a name that is given twice is refused, because it is unclear which of the two would be signed.
 *
 * Throws {@link RequestRefused} for raw bytes beyond ASCII, invalid percent sequences, too many parameters, and names that are repeated
 * or not printable ASCII.
 */
export function readQuery(query: string): Map<string, string> {
  const parameters = new Map<string, string>();
  // some HTTP parsers accept such bytes, and it is unclear whether they are UTF-8
  if (/[^ -~]/.test(query)) throw new RequestRefused('badParameter', 'characters beyond ASCII must be percent-encoded');
  const parts = query.split('&');
  if (parts.length > MAX_PARAMETERS) throw new RequestRefused('badParameter', 'too many parameters');
  for (const part of parts) {
    if (part === '') continue;
    const mark = part.indexOf('=');
    const name = decode(mark === -1 ? part : part.slice(0, mark));
    if (!/^[!-~]+$/.test(name)) throw new RequestRefused('badParameter', 'a name that is not printable ASCII');
    if (parameters.has(name)) throw new RequestRefused('badParameter', `${name.slice(0, 40)} is given twice`);
    parameters.set(name, mark === -1 ? '' : decode(part.slice(mark + 1)));
  }
  return parameters;
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    throw new RequestRefused('badParameter', 'a percent sequence that is not UTF-8');
  }
}

/** An operation with its name. */
interface Checked {
  readonly name: string;
  readonly operation: Operation;
}

/**
 * Checks the received parameters against the description of the operation and returns the given ones, written as described
 * ({@link normalizeParameter}). Unknown parameters are
 * ignored, as observed; an optional one with an empty value counts as missing. Throws {@link RequestRefused}.
 */
export function checkParameters(
  { name: operationName, operation }: Checked,
  received: ReadonlyMap<string, string>,
  dialect: Dialect,
): Record<string, string | undefined> {
  const values: Record<string, string | undefined> = {};
  const { parameters, groups } = factsOf(operation);
  for (const [name, parameter] of parameters) {
    const sent = normalizeParameter(operationName, name, received.get(name) ?? '', dialect);
    const value = checkedValue(name, parameter, sent);
    if (value !== undefined) values[name] = value;
  }
  checkGroups(groups, values);
  return values;
}

function checkedValue(name: string, parameter: Parameter, sent: string): string | undefined {
  if (sent === '') {
    if (parameter.required) throw new RequestRefused('badParameter', `${name} is missing`);
    return undefined;
  }
  const value = SWITCHED.has(name) ? (SWITCHES[sent] ?? sent) : sent;
  const problem = parameter.kind.problem(value);
  if (problem !== undefined) throw new RequestRefused(PARAMETER_REFUSALS[name] ?? 'badParameter', `${name} ${problem}`);
  return value;
}

/** "Exactly one of `id` and `customerOrderId` is given." */
function checkGroups(groups: Facts['groups'], values: Readonly<Record<string, string | undefined>>): void {
  for (const names of groups) {
    if (names.filter((name) => values[name] !== undefined).length === 1) continue;
    throw new RequestRefused('badParameter', `exactly one of ${names.join(' and ')} is given`);
  }
}

interface Facts {
  readonly parameters: readonly (readonly [name: string, parameter: Parameter])[];
  /** The names of each group. */
  readonly groups: readonly (readonly string[])[];
}

const cachedFacts = new WeakMap<Operation, Facts>();

/** The parameters of an operation and their groups, computed once. */
function factsOf(operation: Operation): Facts {
  const found = cachedFacts.get(operation);
  if (found !== undefined) return found;
  const parameters = Object.entries(operation.parameters);
  const groups = new Map<string, string[]>();
  for (const [name, { group }] of parameters) {
    if (group !== undefined) groups.set(group, [...(groups.get(group) ?? []), name]);
  }
  const facts = { parameters, groups: [...groups.values()] };
  cachedFacts.set(operation, facts);
  return facts;
}
