import { define } from '../../frame/definition.js';
import { drive } from '../clock-answer.js';

export default define({
  summary: "Let the sandbox's clock run on from where it stands",
  examples: ['sandbox clock start', 'sandbox clock start --json'],
  run: (context) => drive(context, 'start'),
});
