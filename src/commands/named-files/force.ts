import { toggle } from '../../cli/definition.js';

/** The flag of every command that writes a file that the user names. */
export const FORCE = toggle('--force', 'replace the file even if pit did not write it');
