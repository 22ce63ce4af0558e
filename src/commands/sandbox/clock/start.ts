import { define } from '../../../cli/definition.js';
import { DRY_CHANGE } from '../../../cli/dry-run.js';
import { drive } from '../clock-answer.js';
import { CLOCK } from '../shapes.js';

export default define({
  summary: "Let the sandbox's clock run on from where it stands",
  examples: ['sandbox clock start', 'sandbox clock start --json'],
  output: CLOCK,
  dry: DRY_CHANGE,
  run: (context) => drive(context, 'start'),
});
