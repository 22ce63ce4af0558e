import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { BackgroundProgram, startFailed } from '../../../src/platform/programs/background.js';

const FULL = JSON.stringify({ error: { message: 'the disk is full', hint: 'Free some space.' } });
const EARLIER = JSON.stringify({ error: { message: 'an earlier error', hint: null } });

/** The failure of a program that prints this on stderr and ends. */
async function failureOf(printed: string) {
  const program = BackgroundProgram.start(
    { environment: process.env },
    { command: process.execPath, args: ['-e', 'process.stderr.write(process.argv[1])', '--', printed] },
    { folder: tmpdir(), inherits: () => true, variables: {}, detached: false },
  );
  await program.ended({ sleep: (milliseconds) => delay(milliseconds) });
  const { message, hints } = startFailed('The sandbox', program, 'See the log.');
  return { message, hints };
}

describe('the failure of a program that did not start', () => {
  it.each([
    ['alone', `${FULL}\n`],
    ['after an earlier one', `${EARLIER}\n${FULL}\n`],
    ['in the line that a library began', `Write error: No space left on device position 462848${FULL}\n`],
    ['before what a library printed', `${FULL}\nWrite error: No space left on device`],
  ])('is the last error that it printed as JSON: %s', async (_, printed) => {
    expect(await failureOf(printed)).toEqual({
      message: 'The sandbox did not start: the disk is full',
      hints: ['Free some space.'],
    });
  });

  it.each([
    ['a warning\nno memory\n', 'no memory'],
    ['{"error":{"message":\n', '{"error":{"message":'],
    ['', 'it ended without an error message'],
  ])('is the last line of a program that printed no such error: %j', async (printed, said) => {
    expect(await failureOf(printed)).toEqual({
      message: `The sandbox did not start: ${said}`,
      hints: ['See the log.'],
    });
  });
});
