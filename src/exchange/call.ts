import type { Host } from '../platform/host.js';
import type { Budget } from './budget.js';
import type { ClockMemory } from './exchange-clock.js';
import type { Limits } from './limiter/limiter.js';
import type { Network } from './network/network.js';
import type { Observation } from './observation.js';
import type { Credentials, Given, Hosts } from './request.js';
import type { HttpAnswer } from './transport.js';

export interface ClientOptions {
  readonly host: Host;
  readonly hosts: Hosts;
  /** Gives the keys, or throws a Failure `credentials` that says what is missing. */
  readonly credentials: () => Credentials;
  readonly budget: Budget;
  /** Keeps what is known of the exchange's clock. Absent: it is found out anew. */
  readonly clockMemory?: ClockMemory;
  /**
   * Called where the host refused the connection, so that not a byte of the request left: starts what should be there.
   * Absent for hosts that are not pit's to start.
   */
  readonly revive?: () => Promise<void>;
  /** The exchange's limits, kept together with other processes. Absent: this client keeps them by itself. */
  readonly limits?: Limits;
  /** Takes a line about each request, secrets already masked. */
  readonly trace?: (line: string) => void;
  /** Takes what each answer shows in passing. */
  readonly observe?: (observation: Observation) => void;
  /** Takes the whole body of each answer to a write that was done. */
  readonly heard?: (name: string, body: string) => void;
  /** Absent: no proxy, and the well-known authorities. */
  readonly network?: Network;
}

/** An operation with its values, and what is made of the body of its answer. */
export interface Call<Answer> {
  readonly name: string;
  readonly values: Given;
  readonly read: (body: string, answer: HttpAnswer) => Answer;
}
