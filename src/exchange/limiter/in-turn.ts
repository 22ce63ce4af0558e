import { OBSERVED } from '../observed-codes.js';
import { Refused } from '../response.js';
import type { Told, Turn } from './limiter.js';

/** Does a request's work within its turn. The exchange counts a request before it answers, so the turn ends with the answer. */
export async function inTurn<Value>(turn: Turn, work: () => Promise<Value>): Promise<Value> {
  let told: Told = 'nothing';
  try {
    const value = await work();
    told = 'answer';
    return value;
  } catch (error) {
    if (error instanceof Refused) told = error.code === OBSERVED.locked ? 'lock' : 'answer';
    throw error;
  } finally {
    await turn.over(told);
  }
}
