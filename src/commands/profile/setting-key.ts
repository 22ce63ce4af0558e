import { HOST_KEYS, SETTINGS } from '../../config/settings.js';
import { wordLike } from '../inputs/words.js';

/** What `profile set` takes. */
export const settingKey = wordLike(...Object.keys(HOST_KEYS), ...SETTINGS.keys());
