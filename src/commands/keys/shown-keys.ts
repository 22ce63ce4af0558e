import * as shape from '../../cli/shapes.js';
import { type KeyPair, lastFour } from '../../config/keys.js';

export const KEYS = shape.record({
  profile: shape.text('its name'),
  accessKey: shape.orNull(shape.text('the last four characters')),
  secretKey: shape.orNull(shape.text('the last four characters')),
});

/** All that is ever shown of a profile's keys. */
export function shownKeys(profile: string, { accessKey, secretKey }: KeyPair) {
  return { profile, accessKey: lastFour(accessKey), secretKey: lastFour(secretKey) };
}
