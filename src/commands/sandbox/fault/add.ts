import { define, flag, required } from '../../../cli/definition.js';
import { DRY_CHANGE, dryChange } from '../../../cli/dry-run.js';
import { usage } from '../../../errors.js';
import { operations } from '../../../exchange/operations/index.js';
import { FAULT_KINDS, type FaultKind, type FaultRule } from '../../../sandbox/faults/rules.js';
import { table } from '../../../terminal/table.js';
import { oneOf, wholeNumber } from '../../inputs/numbers.js';
import { wordLike } from '../../inputs/words.js';
import { RULE_COLUMNS } from '../fault-rows.js';
import { FAULT } from '../shapes.js';

const KINDS = Object.keys(FAULT_KINDS) as FaultKind[];

export default define({
  summary: 'Let requests to the sandbox go wrong, and note what was really done',
  arguments: { kind: required(`one of ${KINDS.join(', ')}`, oneOf('The fault', ...KINDS)) },
  flags: {
    operation: flag(
      '--operation <name>',
      'only requests of this operation (default: any)',
      wordLike(...Object.keys(operations)),
    ),
    probability: flag('--probability <p>', 'a chance from 0 to 1 for each request', probability),
    count: flag('--count <n>', 'the next n requests, and then no more', wholeNumber('--count', 1, 999_999_999)),
    every: flag('--every <n>', 'every nth request', wholeNumber('--every', 1, 999_999_999)),
    delay: flag('--delay <ms>', 'how late, for delay and late', wholeNumber('--delay', 0, 3_600_000)),
    skew: flag('--skew <ms>', 'how far off, for skew; below zero is behind', skew),
  },
  examples: [
    'sandbox fault add drop-after --operation order --count 1',
    'sandbox fault add delay --delay 3000 --probability 0.1 --json',
    'sandbox fault add skew --skew=-90000',
  ],
  output: FAULT,
  dry: DRY_CHANGE,
  async run({ session, globals }, input) {
    if (globals.dryRun) return dryChange('sandbox fault add', `Would add: ${FAULT_KINDS[input.kind]}.`);
    const rule = (await session.administer('POST /faults/add', input)) as FaultRule;
    return { data: rule, show: (screen) => table(screen, RULE_COLUMNS, [rule]) };
  },
});

function probability(text: string): number {
  const chance = /^(0|1|0?\.\d{1,9}|1\.0+)$/.test(text) ? Number(text) : Number.NaN;
  if (chance >= 0) return chance;
  throw usage(`--probability is "${text}".`, 'It must be a number from 0 to 1.');
}

function skew(text: string): number {
  const ms = /^-?\d{1,8}$/.test(text) ? Number(text) : Number.NaN;
  if (Math.abs(ms) <= 86_400_000) return ms;
  throw usage(`--skew is "${text}".`, 'It must be milliseconds from -86400000 to 86400000.');
}
