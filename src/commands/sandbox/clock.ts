import { required } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import type { ResultOf } from '../../sandbox/admin/calls.js';
import { ADVANCE, SPEED } from '../../sandbox/admin/parameters.js';
import type { Answer } from '../../terminal/answer.js';
import { moment } from '../inputs/parsers.js';
import { type Context, define } from '../session/command.js';
import { DRY_CHANGE, dryChange } from '../writes/dry-run.js';
import { durationBy, numberBy } from './arguments.js';

type ClockReport = ResultOf<'GET /clock'>;

const CLOCK = shape.object({
  time: shape.time('what the clock shows'),
  running: shape.boolean(''),
  speed: shape.number("1 is the speed of this machine's clock"),
});

export const stop = define({
  summary: 'Stop the sandbox clock; orders still match',
  examples: ['sandbox clock stop', 'sandbox clock stop --json'],
  output: CLOCK,
  dryRunOutput: DRY_CHANGE,
  run: (context) => change(context, 'stop', ({ sandbox }) => sandbox.administer('POST /clock/stop')),
});

export const start = define({
  summary: 'Start the sandbox clock from where it stopped',
  examples: ['sandbox clock start', 'sandbox clock start --json'],
  output: CLOCK,
  dryRunOutput: DRY_CHANGE,
  run: (context) => change(context, 'start', ({ sandbox }) => sandbox.administer('POST /clock/start')),
});

export const set = define({
  summary: 'Set the sandbox clock to a later time',
  arguments: {
    time: required('ISO 8601 (UTC without a zone), or seconds or milliseconds since 1970; never earlier', moment),
  },
  examples: ['sandbox clock set 2031-01-01T00:00', 'sandbox clock set 1924992000000 --json'],
  output: CLOCK,
  dryRunOutput: DRY_CHANGE,
  run: (context, { time }) =>
    change(context, 'set', ({ sandbox, host }) => sandbox.administer('POST /clock/set', { time: time(host.now()) })),
});

export const setSpeed = define({
  summary: 'Set how fast the sandbox clock runs',
  arguments: { factor: required('how many times faster than real time', numberBy('The speed', SPEED)) },
  examples: ['sandbox clock speed 60', 'sandbox clock speed 0.5 --json'],
  output: CLOCK,
  dryRunOutput: DRY_CHANGE,
  run: (context, { factor }) =>
    change(context, 'speed', ({ sandbox }) => sandbox.administer('POST /clock/speed', { speed: factor })),
});

export const advance = define({
  summary: 'Advance the sandbox clock; everything due happens',
  arguments: {
    duration: required('how far, such as 90s, 15m, 2h or 7d', durationBy(ADVANCE)),
  },
  examples: ['sandbox clock advance 1m', 'sandbox clock advance 2d --json'],
  output: CLOCK,
  dryRunOutput: DRY_CHANGE,
  run: (context, { duration: ms }) =>
    change(context, 'advance', ({ sandbox }) => sandbox.administer('POST /clock/advance', { ms })),
});

async function change(
  context: Context,
  name: string,
  drive: (context: Context) => Promise<ClockReport>,
): Promise<Answer<ClockReport | shape.Infer<typeof DRY_CHANGE>>> {
  if (context.globals.dryRun) return dryChange(`sandbox clock ${name}`, 'Would change the sandbox clock.');
  const clock = await drive(context);
  await context.sandbox.rememberClock(clock.time);
  return { data: clock, show: () => describe(clock) };
}

function describe({ time, running, speed: factor }: ClockReport): string {
  if (!running) return `The sandbox clock is stopped at ${time}.`;
  return `The sandbox clock shows ${time} and runs at ${factor === 1 ? 'normal speed' : `${factor} times normal speed`}.`;
}
