import path from 'node:path';
import { suggest } from '../../../errors.js';
import { completionState, SHELLS } from '../../completion/installation.js';
import { type Check, ok, warn } from '../check.js';

export const completion: Check = {
  name: 'completion',
  async look({ context: { host } }) {
    const own = path.basename(host.environment.SHELL ?? '');
    const states = SHELLS.map((shell) => completionState(host, shell));
    const old = states.find(({ isInstalled, isCurrent }) => isInstalled && !isCurrent);
    if (old !== undefined)
      return warn(
        `that of ${old.shell} is of another version`,
        suggest('Install it again', 'completion', 'install', old.shell),
      );
    const installed = states.filter(({ isInstalled }) => isInstalled).map(({ shell }) => shell);
    if (installed.length > 0) return ok(`installed for ${installed.join(' and ')}`);
    const isKnown = states.some(({ shell }) => shell === own);
    // nobody has to have it
    return ok(isKnown ? `not installed for ${own}` : 'not installed');
  },
};
