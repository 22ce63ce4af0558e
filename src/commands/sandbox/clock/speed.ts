import { define, required } from '../../../cli/definition.js';
import { DRY_CHANGE } from '../../../cli/dry-run.js';
import { speed } from '../../inputs/durations.js';
import { drive } from '../clock-answer.js';
import { CLOCK } from '../shapes.js';

export default define({
  summary: "How fast the sandbox's clock runs",
  arguments: { factor: required('times as fast as time; 1 is as fast as time', speed) },
  examples: ['sandbox clock speed 60', 'sandbox clock speed 0.5 --json'],
  output: CLOCK,
  dry: DRY_CHANGE,
  run: (context, { factor }) => drive(context, 'speed', { speed: factor }),
});
