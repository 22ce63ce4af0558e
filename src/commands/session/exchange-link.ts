import type { SendRequest } from '../../exchange/connect.js';
import type { Channel, ExchangeStream } from '../../exchange/exchange.js';

/** The way to an exchange in this process, which nobody else uses, instead of the network. A rehearsal has one. */
export interface ExchangeLink {
  readonly send: SendRequest;
  /** Follows channels; undefined for those that are only polled. */
  readonly stream: (channels: readonly Channel[], signal: AbortSignal | undefined) => ExchangeStream | undefined;
  /** Has the algo orders watched in this process. */
  readonly watchAlgos: () => void;
}
