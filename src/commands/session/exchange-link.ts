import type { SendRequest } from '../../exchange/connect.js';
import type { Channel, ExchangeStream } from '../../exchange/exchange.js';

/** The connection to an exchange in this process, for a rehearsal: requests and streams do not touch the network. */
export interface ExchangeLink {
  readonly send: SendRequest;
  /** Follows channels; undefined for those that are only polled. */
  readonly stream: (channels: readonly Channel[], signal: AbortSignal | undefined) => ExchangeStream | undefined;
  /** Starts the watch of algo orders in this process. */
  readonly watchAlgos: () => void;
}
