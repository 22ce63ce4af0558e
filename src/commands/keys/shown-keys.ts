import { type KeyPair, lastFour } from '../../config/keys.js';

/** All that is ever shown of a profile's keys. */
export function shownKeys(profile: string, { accessKey, secretKey }: KeyPair) {
  return { profile, accessKey: lastFour(accessKey), secretKey: lastFour(secretKey) };
}
