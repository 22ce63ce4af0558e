import { ACTIVE_PROFILE, Failure } from '../../errors.js';
import type { Session } from './session.js';

/** What was thrown, with the name of the profile in use in its hints: the layers below know its settings only. */
export async function withProfileName(thrown: unknown, session: Pick<Session, 'connection'>): Promise<unknown> {
  if (!(thrown instanceof Failure)) return thrown;
  const { hints } = thrown;
  if (!hints.some((hint) => typeof hint !== 'string' && hint.argv.includes(ACTIVE_PROFILE))) return thrown;
  try {
    const { profile } = await session.connection();
    const named = (word: string) => (word === ACTIVE_PROFILE ? profile : word);
    return thrown.hinting(
      hints.map((hint) => (typeof hint === 'string' ? hint : { ...hint, argv: hint.argv.map(named) })),
    );
  } catch {
    return thrown;
  }
}
