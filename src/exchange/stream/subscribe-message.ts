import { type Channel, followed } from '../channels/followed.js';
import { PROTOCOL, wireName } from '../channels/index.js';

export interface SubscribeMessage {
  readonly event: string;
  /** The channel's name on the wire. */
  readonly channel: string;
  readonly [field: string]: string;
}

/** The message that subscribes to a channel, without a signature. Throws RangeError for a value that the channel does not allow. */
export function subscribeMessage(channel: Channel): SubscribeMessage {
  const { encode, template, parameters } = followed(channel.kind);
  const values = encode(channel);
  const fields: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    const problem = parameters[name]?.kind.problem(value);
    if (problem !== undefined) throw new RangeError(`${name} ${problem}`);
    if (!template.includes(`{${name}}`)) fields[name] = value;
  }
  return { event: PROTOCOL.subscribe, channel: wireName(template, values), ...fields };
}
