import { spawnSync } from 'node:child_process';
import { readdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { FileStore } from '../../../src/exchange/limiter/file-store.js';
import { HOLD_MS } from '../../../src/exchange/limiter/permits.js';
import { thisMachine } from '../../../src/platform/programs/processes.js';
import { temporaryState } from '../../trading/support/trading.js';

const TERMS = { count: 1, reserved: 0 };
const HERE = thisMachine();

it.each([
  ['here comes back by itself', HERE, HOLD_MS, true],
  ['on another machine is out', { ...HERE, host: `not-${HERE.host}` }, 59_999, false],
  ['of another space of ids is out', { ...HERE, pids: 'pid:[1]' }, 59_999, false],
  ['elsewhere is out for a minute only', { ...HERE, pids: 'pid:[1]' }, 60_000, true],
])('a permit of an invisible process %s', async (_, place, laterMs, isThere) => {
  const root = temporaryState();
  let now = 1_000_000;
  const permits = (at = HERE) => new FileStore(root, 'key', TERMS, () => now, TERMS, at);
  expect(await permits(place).take('common')).toHaveProperty('release');
  const { pid: dead } = spawnSync(process.execPath, ['-e', '0']);
  const [name = ''] = readdirSync(path.join(root, 'key'));
  renameSync(path.join(root, 'key', name), path.join(root, 'key', name.replace(`.${process.pid}.`, `.${dead}.`)));
  expect(await permits().take('common')).not.toHaveProperty('release');
  now += laterMs;
  expect('release' in (await permits().take('common'))).toBe(isThere);
});
