import { define } from '../../frame/definition.js';
import { drive } from '../clock-answer.js';

export default define({
  summary: "Stop the sandbox's clock; orders still trade, time does not pass",
  examples: ['sandbox clock stop', 'sandbox clock stop --json'],
  run: (context) => drive(context, 'stop'),
});
