import { define } from '../../../cli/definition.js';
import { DRY_CHANGE } from '../../../cli/dry-run.js';
import { drive } from '../clock-answer.js';
import { CLOCK } from '../shapes.js';

export default define({
  summary: "Stop the sandbox's clock; orders still trade, time does not pass",
  examples: ['sandbox clock stop', 'sandbox clock stop --json'],
  output: CLOCK,
  dry: DRY_CHANGE,
  run: (context) => drive(context, 'stop'),
});
