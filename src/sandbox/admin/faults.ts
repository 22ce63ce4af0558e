import { channels } from '../../exchange/channels/index.js';
import type { Faults } from '../faults/faults.js';
import { FAULT_KINDS, type FaultKind, type FaultSpec, isFaultKind, isStreamFault } from '../faults/rules.js';
import { SERVED } from '../server/operations/index.js';
import { type AdminCall, type AdminInput, AdminRefusal, jsonCall } from './http.js';

const LONGEST_DELAY = 3_600_000;
const WIDEST_SKEW = 86_400_000;

/** `GET /faults` lists the faults. `POST /faults/…`: add, clear (one `id`, or all), log (entries `after` a number). */
export function faultCalls(faults: Faults): [string, AdminCall][] {
  return [
    ['GET /faults', jsonCall(() => faults.rules.list())],
    ['POST /faults/add', jsonCall((input) => faults.rules.add(specIn(input)))],
    ['POST /faults/clear', jsonCall((input) => ({ cleared: faults.rules.clear(input.optionalWhole('id', 1, 1e9)) }))],
    ['POST /faults/log', jsonCall((input) => faults.log.after(input.optionalWhole('after', 0, 1e12) ?? 0))],
  ];
}

function specIn(input: AdminInput): FaultSpec {
  const kind = kindIn(input);
  return {
    kind,
    operation: operationIn(input, kind),
    probability: input.optionalNumber('probability', 0, 1) ?? null,
    count: input.optionalWhole('count', 1, 1e9) ?? null,
    every: input.optionalWhole('every', 1, 1e9) ?? null,
    delay: needed(input, 'delay', ['delay', 'late', 'stream-delay'].includes(kind), 0, LONGEST_DELAY),
    skew: needed(input, 'skew', kind === 'skew', -WIDEST_SKEW, WIDEST_SKEW),
  };
}

function kindIn(input: AdminInput): FaultKind {
  const kind = input.text('kind');
  if (isFaultKind(kind)) return kind;
  throw new AdminRefusal(`"${kind}" is not a fault.`, `There are ${Object.keys(FAULT_KINDS).join(', ')}.`);
}

function operationIn(input: AdminInput, kind: FaultKind): string | null {
  const operation = input.optionalText('operation');
  const names = isStreamFault(kind) ? Object.keys(channels) : SERVED.map(({ name }) => name);
  if (operation === undefined || names.includes(operation)) return operation ?? null;
  const what = isStreamFault(kind) ? 'a channel' : 'an operation';
  throw new AdminRefusal(`"${operation}" is not ${what} that is served.`, `There are ${names.join(', ')}.`);
}

/** Milliseconds that some kinds require and the others do not take. */
function needed(input: AdminInput, name: string, needs: boolean, min: number, max: number): number {
  const given = input.optionalWhole(name, min, max);
  if (needs && given === undefined) throw new AdminRefusal(`This fault needs a ${name}.`, `Add --${name} MS.`);
  if (!needs && given !== undefined) throw new AdminRefusal(`This fault has no ${name}.`, `Leave --${name} out.`);
  return given ?? 0;
}
