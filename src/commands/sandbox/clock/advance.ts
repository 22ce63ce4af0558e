import { define, required } from '../../frame/definition.js';
import { duration } from '../../inputs/durations.js';
import { drive } from '../clock-answer.js';

export default define({
  summary: "Set the sandbox's clock forward; what is due by then happens",
  arguments: { duration: required('how far, as 90s, 15m, 2h or 7d', duration) },
  examples: ['sandbox clock advance 1m', 'sandbox clock advance 2d --json'],
  run: (context, input) => drive(context, 'advance', { ms: input.duration }),
});
