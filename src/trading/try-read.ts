import { Failure } from '../errors.js';

/** A question that may go unanswered: undefined then, and nothing follows from it. */
export async function tryRead<Value>(ask: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
