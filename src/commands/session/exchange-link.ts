import type { Socket } from 'node:net';
import type { SendRequest } from '../../exchange/connect.js';
import type { Channel, ExchangeStream } from '../../exchange/exchange.js';
import type { AdminCallName } from '../../sandbox/admin/calls.js';

/** The connection to an exchange in this process: requests and streams do not touch the network. */
export interface ExchangeLink {
  readonly send: SendRequest;
  /** Whether only this command uses the exchange, as in a rehearsal. Otherwise its processes share limits, latch and streams. */
  readonly isAlone: boolean;
  /** Follows channels without a connection; undefined for those that are only polled. Absent: all over {@link connect}. */
  readonly stream?: (channels: readonly Channel[], signal: AbortSignal | undefined) => ExchangeStream | undefined;
  /** Opens a connection to the address of the streams. Absent: over the network. */
  readonly connect?: (url: string) => Socket;
  /** Carries out a call of the sandbox's administration. Absent: over its port. */
  readonly administer?: (call: AdminCallName, input: object) => Promise<unknown>;
  /** Starts the watch of algo orders in this process. */
  readonly watchAlgos: () => void;
}
