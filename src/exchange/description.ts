/**
 * What the interface calls things, for those who show it: `pit api`, `pit schema`, completion, the faults of the sandbox and
 * the settings of a profile.
 */

import { operations } from './operations/index.js';
import { requestFailure } from './requests/failures.js';
import { checkedParameters } from './requests/request.js';

export type { ChannelPart } from './channels/channel.js';
export { FOLLOWED, followed } from './channels/followed.js';
export { channels } from './channels/index.js';
export { FACTS } from './facts.js';
export { interfacePage } from './interface-page.js';
export { isDocumented, type OperationName, operationOf, operations } from './operations/index.js';
export type { Operation } from './operations/operation.js';
export { SUCCESS } from './requests/observed-codes.js';
export {
  CLIENT_ID_PARAMETER,
  likelyOrders,
  RAW_EXAMPLES,
  readRawWithdrawal,
  readRawWrite,
} from './requests/raw-writes.js';
export { isOperationName } from './requests/request.js';
export { ENVELOPE_FIELDS } from './requests/response.js';
export { WRITE_OPERATIONS } from './requests/write-requests.js';

/**
 * The values of an operation's parameters in the order in which they are sent. Throws Failure `usage` for one that is missing,
 * breaks its rule, or is unknown.
 */
export function checkedValues(operation: string, values: Readonly<Record<string, string>>): Map<string, string> {
  try {
    return checkedParameters(operation, values);
  } catch (error) {
    throw requestFailure(error, operation);
  }
}

/** The rule that a fund password breaks, in words; undefined if it can be sent. */
export function fundPasswordProblem(password: string): string | undefined {
  return operations.withdraw.parameters.safePwd.kind.problem(password);
}
