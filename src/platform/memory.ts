import { setFlagsFromString } from 'node:v8';

/**
 * Lets the runtime collect rather than grow from now on. V8's young generation grows with all that was ever in use, to
 * 32 MiB and more that nothing needs, and the old one beside it. Only V8's own option says so: programs are started by
 * their names, so that there is nowhere to give it before.
 */
export function keepSmall(): void {
  setFlagsFromString('--optimize-for-size');
}
