import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { accountName } from '../../../src/commands/session/account-name.js';
import { Journal } from '../../../src/trading/journal/journal.js';
import { fakeHost } from '../../support/fake-host.js';
import { runPit } from '../../support/pit.js';
import { TERMS } from '../../trading/support/terms.js';
import { temporaryState } from '../../trading/support/trading.js';

const TRADE = 'https://trade.example.com';

/** A home with a profile whose key has this many open writes. */
async function homeWith(open: number) {
  const home = temporaryState();
  const run = (line: string) => runPit(line.split(' '), { home });
  const keys = (name: string, text: string) => {
    const file = path.join(home, name);
    writeFileSync(file, text, { mode: 0o600 });
    return `keys set --profile overseas --file ${file}`;
  };
  await run(`profile add overseas --base-url https://api.example.com --trade-url ${TRADE}`);
  expect((await run(keys('old', 'access-0001\nsecret-0001\n'))).stderr).toBe('');
  const journal = new Journal(
    fakeHost(),
    path.join(home, 'state'),
    accountName({ sandbox: false, tradeUrl: TRADE }, () => 'access-0001'),
  );
  for (let write = 0; write < open; write += 1)
    journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id: `lost${write}`, reqTime: 1 }).release();
  return { home, run, keys, journal };
}

const WAYS = [
  ['keys set', (keys: Keys) => keys('new', 'access-0002\nsecret-0002\n')],
  ['keys set --dry-run', (keys: Keys) => `${keys('new', 'access-0002\nsecret-0002\n')} --dry-run`],
  ['keys remove', () => 'keys remove --profile overseas --yes'],
  ['profile set trade-url', () => 'profile set overseas trade-url https://other.example.com'],
  ['profile remove', () => 'profile remove overseas --yes'],
] as const;

type Keys = (name: string, text: string) => string;

it.each(WAYS)('%s warns about unknown outcomes that only the old key can settle, and continues', async (_, line) => {
  const { run, keys } = await homeWith(2);
  const { stderr, stdout, code } = await run(line(keys));
  expect(code).toBe(0);
  expect(stdout).not.toBe('');
  expect(stderr.replace(/\s+/g, ' ')).toContain(
    'Warning: The outcome of 2 writes with the key …0001 at trade.example.com is unknown, and only that key can look ' +
      'it up. To look it up later, put the key back. → Look it up first: pit resolve --profile overseas',
  );
});

it('says it of a single one', async () => {
  const { run, keys } = await homeWith(1);
  const { stderr } = await run(keys('new', 'access-0002\nsecret-0002\n'));
  expect(stderr.replace(/\s+/g, ' ')).toContain('Warning: The outcome of 1 write with the key …0001 ');
});

it.each(WAYS)('%s warns about nothing when no outcome is unknown', async (_, line) => {
  const { run, keys } = await homeWith(0);
  expect((await run(line(keys))).stderr).not.toContain('is unknown');
});

it('counts a record that is damaged', async () => {
  const { run, keys, journal } = await homeWith(1);
  writeFileSync(journal.fileOf('torn1'), 'torn\n', { mode: 0o600 });
  const { stderr } = await run(keys('new', 'access-0002\nsecret-0002\n'));
  expect(stderr.replace(/\s+/g, ' ')).toContain('Warning: The outcome of 2 writes with the key …0001 ');
});

it('removes keys that cannot be read, with which nothing could be looked up', async () => {
  const { home, run } = await homeWith(1);
  writeFileSync(path.join(home, 'config', 'keys', 'overseas.json'), 'torn\n', { mode: 0o600 });
  expect(await run('keys remove --profile overseas --yes')).toMatchObject({ code: 0, stderr: '' });
});

it('a journal that cannot be read does not count as one without unknown outcomes', async () => {
  const { run, keys, journal } = await homeWith(1);
  const unsettled = path.dirname(journal.fileOf('lost0'));
  rmSync(unsettled, { recursive: true });
  writeFileSync(unsettled, '');
  const { stderr, code } = await run(keys('new', 'access-0002\nsecret-0002\n'));
  expect(code).toBe(0);
  expect(stderr.replace(/\s+/g, ' ')).toContain(
    'Warning: The journal cannot be read, so the outcome of writes with the key …0001 at trade.example.com may be unknown',
  );
});

it.each([
  ['a new secret of the same key', (keys: Keys) => keys('new', 'access-0001\nsecret-0002\n')],
  ['the same host in other words', () => 'profile set overseas trade-url https://TRADE.example.com/'],
  ['another host for market data', () => 'profile set overseas base-url https://other.example.com'],
] as const)('%s keeps the account and warns about nothing', async (_, line) => {
  const { run, keys } = await homeWith(1);
  expect((await run(line(keys))).stderr).toBe('');
});
