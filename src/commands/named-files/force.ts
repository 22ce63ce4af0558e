import { toggle } from '../../cli/definition.js';

/**
 * The flag of a command that writes a file that the user names.
 * @param flags the flags that name it; none if an argument does
 */
export function forceFlag(...flags: readonly string[]) {
  return toggle(
    '--force',
    'replace the file even if pit did not write it',
    flags.length === 0 ? {} : { needs: [flags] },
  );
}
