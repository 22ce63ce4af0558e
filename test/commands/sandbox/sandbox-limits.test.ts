import { expect, it } from 'vitest';
import { runPit, temporaryHome } from '../../support/pit.js';

it.each([
  ['keys=5', '"keys=5" is not a limit.'],
  ['key=0', 'key must be a whole number from 1 to 1000000, not "0".'],
  ['lock=10', '"10" is not a duration.'],
  ['reqTime', '"" is not a duration.'],
  ['', '"" is not a limit.'],
])('pit sandbox serve --limit rejects %j', async (list, message) => {
  const { code, stderr } = await runPit(['sandbox', 'serve', '--limit', list], { home: temporaryHome() });
  expect({ code, message: stderr.split('\n')[0] }).toEqual({ code: 2, message: `pit: ${message}` });
});
