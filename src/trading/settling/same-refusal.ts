import { Failure } from '../../errors.js';

/**
 * Whether a lookup was rejected with the same code as the write. Such a code is not about the order (a missing
 * permission, an unknown market), so every copy of the write was rejected too, and the order does not exist. An exchange in
 * trouble proves nothing.
 */
export function isSameRefusal(error: unknown, code: number | null | undefined): boolean {
  if (!(error instanceof Failure) || error.code === null) return false;
  if (error.kind !== 'refused' && error.kind !== 'credentials') return false;
  return error.code === code && error.refusal !== 'inTrouble';
}
