import { Failure } from '../errors.js';

/** Returns undefined if the read fails with a Failure. */
export async function tryRead<Value>(ask: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
