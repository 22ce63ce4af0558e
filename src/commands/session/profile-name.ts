import { Failure } from '../../errors.js';
import type { Session } from './session.js';

/** Layers below know a profile's settings and not its name: their hints say `pit profile set NAME …`. */
const PLACE = /(?<=pit profile (?:set|unset) )NAME\b/g;

/** The same with the name of the profile in use in its hint, where one is found. */
export async function withProfileName(thrown: unknown, session: Pick<Session, 'connection'>): Promise<unknown> {
  if (!(thrown instanceof Failure) || thrown.hint?.match(PLACE) == null) return thrown;
  try {
    const { profile } = await session.connection();
    return thrown.hinting((hint) => hint.replace(PLACE, profile));
  } catch {
    return thrown;
  }
}
