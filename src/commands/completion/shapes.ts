import * as shape from '../../cli/shapes.js';
import { SHELLS } from './shells.js';

const SHELL = shape.oneOf(SHELLS, '');

/** The script of a shell. */
export const SCRIPT = shape.record({ shell: SHELL, script: shape.text('its text') });

/** What was changed of the user's files. */
export const CHANGED = shape.record({
  shell: SHELL,
  changes: shape.list(
    shape.record({ file: shape.text(''), removed: shape.yesNo('false where it was written') }),
    'none where nothing was to be done',
  ),
});
