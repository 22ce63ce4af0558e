import { define, required } from '../../../cli/definition.js';
import { DRY_CHANGE } from '../../../cli/dry-run.js';
import { moment } from '../../inputs/time.js';
import { drive } from '../clock-answer.js';
import { CLOCK } from '../shapes.js';

export default define({
  summary: "Set the sandbox's clock to a later time; it never goes back",
  arguments: { time: required('ISO 8601 (without a zone: UTC) or milliseconds since 1970', moment) },
  examples: ['sandbox clock set 2031-01-01T00:00', 'sandbox clock set 1924992000000 --json'],
  output: CLOCK,
  dry: DRY_CHANGE,
  run: (context, { time }) => drive(context, 'set', { time: time(context.host.now()) }),
});
