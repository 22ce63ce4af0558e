import { define, required } from '../../../cli/definition.js';
import { DRY_CHANGE } from '../../../cli/dry-run.js';
import { duration } from '../../inputs/durations.js';
import { drive } from '../clock-answer.js';
import { CLOCK } from '../shapes.js';

export default define({
  summary: "Set the sandbox's clock forward; what is due by then happens",
  arguments: { duration: required('how far, as 90s, 15m, 2h or 7d', duration) },
  examples: ['sandbox clock advance 1m', 'sandbox clock advance 2d --json'],
  output: CLOCK,
  dry: DRY_CHANGE,
  run: (context, input) => drive(context, 'advance', { ms: input.duration }),
});
