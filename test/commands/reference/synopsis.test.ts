import { expect, it } from 'vitest';
import {
  type Definition,
  flag,
  optional,
  required,
  requiredFlag,
  several,
  toggle,
} from '../../../src/cli/definition.js';
import * as shape from '../../../src/cli/shapes.js';
import { describeTree } from '../../../src/commands/reference/command-tree.js';
import { synopsis } from '../../../src/commands/reference/synopsis.js';

const word = (text: string) => text;

const DRAWN: Pick<Definition, 'summary' | 'examples' | 'output' | 'run'> = {
  summary: 'Draw a line',
  examples: [],
  output: shape.anything,
  run: async () => undefined,
};

async function synopsisOf(described: Partial<Definition>): Promise<string> {
  const tree = await describeTree({ draw: async () => ({ default: { ...DRAWN, ...described } }) });
  const command = tree.commands.find(({ path }) => path === 'draw');
  return command === undefined ? '' : synopsis(command).join(' ');
}

const ONE = flag('--one <a-b>', '', word);

it.each<[string, Partial<Definition>, string]>([
  [
    'arguments and flags as they are',
    {
      arguments: { shape: required('', word), points: several('', word) },
      flags: { one: ONE, two: toggle('--two', '') },
    },
    'pit draw SHAPE [POINT...] [--one A_B] [--two]',
  ],
  [
    'a flag that is required without brackets',
    { flags: { one: requiredFlag('--one <x>', '', word) } },
    'pit draw --one X',
  ],
  [
    'a required list without brackets',
    { arguments: { points: several('', word) }, needs: ['points'] },
    'pit draw POINT...',
  ],
  [
    'what needs a flag with that flag, in its brackets',
    {
      flags: {
        three: toggle('--three', '', { needs: ['--two'] }),
        one: ONE,
        two: toggle('--two', '', { needs: ['--one'] }),
      },
    },
    'pit draw [--one A_B [--two [--three]]]',
  ],
  [
    'two that need each other side by side',
    { flags: { one: { ...ONE, needs: ['--two'] }, two: toggle('--two', '', { needs: ['--one'] }) } },
    'pit draw [--one A_B --two]',
  ],
  [
    'what needs one of several by itself',
    { flags: { one: ONE, two: toggle('--two', ''), three: toggle('--three', '', { needs: [['--one', '--two']] }) } },
    'pit draw [--one A_B] [--two] [--three]',
  ],
  [
    'what excludes each other as alternatives',
    {
      arguments: { shape: optional('', word) },
      flags: { one: { ...ONE, excludes: ['shape'] }, two: toggle('--two', '') },
    },
    'pit draw [SHAPE | --one A_B] [--two]',
  ],
  [
    'alternatives of which one is required in round brackets, each with what needs it',
    {
      arguments: { shape: optional('', word) },
      flags: { one: ONE, two: toggle('--two', '', { needs: ['--one'] }) },
      oneOf: ['shape', '--one'],
    },
    'pit draw (SHAPE | --one A_B [--two])',
  ],
  [
    'a flag that excludes only some of those that exclude each other by itself',
    {
      flags: {
        one: { ...ONE, excludes: ['--two', '--three'] },
        two: toggle('--two', ''),
        three: toggle('--three', ''),
      },
    },
    'pit draw [--one A_B] [--two] [--three]',
  ],
])('a synopsis shows %s', async (_what, described, text) => {
  expect(await synopsisOf(described)).toBe(text);
});
