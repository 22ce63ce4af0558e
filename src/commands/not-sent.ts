import { Failure, type FailureKind, suggest } from '../errors.js';

/** A write that did not leave. */
interface NotSent {
  readonly reason: string;
  readonly failure: FailureKind;
}

/** The message to the user: `what` is "The order" or the like. */
export function notSent(what: string, { reason, failure }: NotSent, clientId: string): Failure {
  const hint = failure === 'unreachable' ? { hint: suggest('Check the host and the network', 'profile', 'show') } : {};
  return new Failure(failure, `${what} was not sent: ${reason}.`, { clientId, ...hint });
}
