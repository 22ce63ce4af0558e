import { PROTOCOL } from '../../exchange/channels/index.js';
import { RequestRefused } from '../refusals.js';

export type Scalar = string | number | boolean;

/** Reads the fields of a message. Throws {@link RequestRefused} unless it is a flat JSON object. */
export function readFields(text: string): ReadonlyMap<string, Scalar> {
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw notJson();
  const fields = new Map<string, Scalar>();
  for (const [name, field] of Object.entries(value)) {
    if (field === null) continue;
    if (typeof field !== 'string' && typeof field !== 'number' && typeof field !== 'boolean')
      throw new RequestRefused('badParameter', `${name.slice(0, 40)} is not a plain value`);
    fields.set(name, field);
  }
  return fields;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson();
  }
}

function notJson(): RequestRefused {
  return new RequestRefused('badParameter', 'the message is not a JSON object');
}

/** The parts that every message has. Throws {@link RequestRefused} 1008 or 1007 if the event or the channel is missing or unknown. */
export function requestIn(fields: ReadonlyMap<string, Scalar>): { event: string; channel: string } {
  const [event, channel] = [fieldText(fields, 'event'), fieldText(fields, 'channel')];
  if (event !== PROTOCOL.subscribe && event !== PROTOCOL.unsubscribe) throw new RequestRefused('emptyEvent');
  if (channel === '') throw new RequestRefused('emptyChannel');
  return { event, channel };
}

/** Empty if it is missing. */
export function fieldText(fields: ReadonlyMap<string, Scalar>, name: string): string {
  return String(fields.get(name) ?? '');
}

/** Observed: the compact JSON of a message without `sign`, its keys sorted. */
export function signedText(fields: ReadonlyMap<string, Scalar>): string {
  const names = [...fields.keys()].filter((name) => name !== 'sign').sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(fields.get(name))}`).join(',')}}`;
}

/** Observed: with either flag, what is sent is base64 of zlib. */
export function wantsZip(fields: ReadonlyMap<string, Scalar>): boolean {
  return ['binary', 'isZip'].some((name) => fieldText(fields, name) === 'true');
}
