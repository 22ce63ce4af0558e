import fs, { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { tapeName } from '../../../src/commands/stream/record-tape.js';
import { claimTape } from '../../../src/commands/stream/recorder-claim.js';
import { compareIds } from '../../../src/domain/market-data.js';
import { directoriesOf } from '../../../src/platform/files/directories.js';
import { schemaViolations } from '../../cli-contract/schema-violations.js';
import { temporaryHome } from '../../support/pit.js';
import { TIME, useWorld } from '../pit-home.js';

const pit = useWorld();

interface Document {
  readonly channel?: string;
  readonly gap?: object;
  readonly markets?: readonly object[];
  readonly data?: readonly { readonly id?: string }[];
}

const newTape = (ending = '.ndjson') => path.join(temporaryHome(), `tape${ending}`);

function documentsIn(file: string): Document[] {
  const bytes = readFileSync(file);
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  return text
    .trimEnd()
    .split('\n')
    .map((one) => JSON.parse(one) as Document);
}

const tradesIn = (documents: readonly Document[]) =>
  documents
    .filter(({ channel }) => channel === 'trades:btc_usdt')
    .flatMap(({ data }) => data?.map(({ id }) => id) ?? []);

async function trade(): Promise<void> {
  await pit.done('order buy btc_usdt 0.001 --at ask --yes');
}

describe('pit stream --out', () => {
  it.each(['.ndjson', '.ndjson.gz'])(
    'begins with the markets, then has the documents of --json: %s',
    async (ending) => {
      const file = newTape(ending);
      const answer = await pit.json(`stream ticker:btc_usdt depth:btc_usdt --count 2 --out ${file}`);
      expect(answer).toEqual({ file, added: 2, from: TIME, to: TIME });
      const [first, ...others] = documentsIn(file);
      expect(first).toEqual({ markets: await pit.json('markets btc_usdt') });
      expect(others.map(({ channel }) => channel).sort()).toEqual(['depth:btc_usdt', 'ticker:btc_usdt']);
      for (const one of documentsIn(file)) expect(await schemaViolations('stream', one)).toEqual([]);
    },
  );

  it('has each trade once when it goes on, and a gap for what it could not see', async () => {
    const file = newTape();
    const record = (count: number) => pit.json(`stream trades:btc_usdt ticker:btc_usdt --count ${count} --out ${file}`);
    await trade();
    await record(2);
    await trade();
    await record(2);
    const documents = documentsIn(file);
    const expected = (await pit.json<{ id: string }[]>('trades btc_usdt')).map(({ id }) => id);
    const recorded = tradesIn(documents);
    expect(recorded).toEqual([...new Set(recorded)]);
    // the exchange shows the newest 50, and its traders go on after the recording
    const untilEnd = expected.filter((id) => compareIds(id, recorded.at(-1) ?? '') <= 0);
    expect(untilEnd.filter((id) => !recorded.includes(id))).toEqual([]);
    const gaps = documents.filter(({ gap }) => gap !== undefined);
    // the trades of the first run are among those that the exchange still shows: nothing of them is missing
    expect(gaps).toEqual([
      {
        channel: 'ticker:btc_usdt',
        gap: { from: TIME, to: TIME, resynchronised: false, permanent: true },
        reason: 'nothing was recorded',
      },
    ]);
    expect(documents.filter(({ markets }) => markets !== undefined)).toHaveLength(1);
  });

  it('has each trade once also if the last one that was pushed is an old one', async () => {
    const file = newTape();
    const record = () => pit.json(`stream trades:btc_usdt --count 1 --out ${file}`);
    await trade();
    await record();
    const last = documentsIn(file).at(-1);
    appendFileSync(file, `${JSON.stringify({ ...last, data: [{ ...last?.data?.[0], id: '1' }] })}\n`);
    await trade();
    await record();
    const recorded = tradesIn(documentsIn(file));
    expect(recorded).toEqual([...new Set(recorded)]);
    expect(documentsIn(file).filter(({ gap }) => gap !== undefined)).toEqual([]);
  });

  it('says that trades may be missing if the exchange shows none that the tape has', async () => {
    const file = newTape();
    await trade();
    await pit.json(`stream trades:btc_usdt --count 1 --out ${file}`);
    // more than it shows
    const { state } = pit.world.exchange;
    const [account] = state.customers.all();
    if (account === undefined) throw new Error('the sandbox has no account');
    for (let count = 0; count < 60; count += 1)
      state.orders.place(account, { market: 'btc_usdt', side: 'buy', type: 'ioc', price: '50000', amount: '0.001' });
    await pit.json(`stream trades:btc_usdt --count 1 --out ${file}`);
    expect(documentsIn(file).filter(({ gap }) => gap !== undefined)).toHaveLength(1);
  });

  it('begins another file each period, and goes on after the one before', async () => {
    const file = newTape();
    await pit.json(`stream ticker:btc_usdt --count 1 --out ${file} --rotate 1d`);
    const [name = ''] = readdirSync(path.dirname(file)).filter((one) => one.endsWith('.ndjson'));
    expect(name).toMatch(/^tape-\d{4}-\d\d-\d\d\.ndjson$/);
  });

  it.each([
    ['tape.ndjson', 86_400_000, 'tape-2026-11-27.ndjson'],
    ['day/tape.ndjson.gz', 86_400_000, 'day/tape-2026-11-27.ndjson.gz'],
    ['tape.ndjson', 3_600_000, 'tape-2026-11-27T13-00-00.ndjson'],
    ['tape.ndjson', undefined, 'tape.ndjson'],
  ])('names its files by the time at which they begin: %s, %s ms', (name, rotateMs, expected) => {
    expect(tapeName({ name, rotateMs }, Date.UTC(2026, 10, 27, 13, 45))).toBe(expected);
  });

  it('is not begun by a second recorder while the first one writes, which goes on', async () => {
    const file = newTape();
    const release = claimTape({ directories: directoriesOf(pit.home), onExit: () => () => undefined }, file);
    expect((await pit.run(`stream ticker:btc_usdt --count 1 --out ${file}`)).stderr).toContain(
      'Another pit records to ',
    );
    expect(existsSync(file)).toBe(false);
    release();
    expect(await pit.json(`stream ticker:btc_usdt --count 1 --out ${file}`)).toMatchObject({ added: 1 });
    await pit.json(`stream ticker:btc_usdt --count 1 --out ${file}`);
  });

  it('is refused on a disk that cuts its claim short, and leaves no claim behind', async () => {
    const file = newTape();
    const write = fs.writeFileSync;
    const spy = vi.spyOn(fs, 'writeFileSync').mockImplementation((target, data, options) => {
      const isClaim = String(data).startsWith(`${process.pid}\n`);
      write(target, isClaim ? '' : data, options);
      if (isClaim) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    });
    onTestFinished(() => spy.mockRestore());
    const recorders = path.join(directoriesOf(pit.home).state, 'recorders');
    expect(await pit.failure(`stream ticker:btc_usdt --count 1 --out ${file}`, 2)).toMatchObject({
      kind: 'usage',
      message: expect.stringMatching(/^Cannot write .*recorders.*: ENOSPC\.$/),
      hint: expect.stringContaining('that the disk has room'),
    });
    expect([readdirSync(recorders), existsSync(file)]).toEqual([[], false]);
    spy.mockRestore();
    expect(await pit.json(`stream ticker:btc_usdt --count 1 --out ${file}`)).toMatchObject({ added: 1 });
  });

  it('warns of a broken line when it goes on', async () => {
    const file = newTape();
    await pit.json(`stream ticker:btc_usdt --count 1 --out ${file}`);
    appendFileSync(file, '{"channel":"ticker:btc_us\n');
    const { stderr } = await pit.run(`stream ticker:btc_usdt --count 1 --out ${file}`);
    expect(stderr).toContain('has a line near its end that is no document: "{"channel":"ticker');
  });

  it('refuses --csv', async () => {
    const { code, stderr } = await pit.run('stream ticker:btc_usdt --csv --out tape.ndjson');
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/--out and --csv exclude each other/) });
  });

  it.each([
    ['--out tape.csv', /The format of "tape.csv" is not clear/],
    ['--rotate 1d', /--rotate needs --out/],
    ['--out tape.ndjson --rotate 1s', /--rotate is too short/],
    ['--out tape.ndjson --raw', /--out and --raw exclude each other/],
    ['--out /nowhere/tape.ndjson', /\/nowhere\/tape.ndjson/],
  ])('refuses %s', async (flags, message) => {
    expect(await pit.failure(`stream ticker:btc_usdt --count 1 ${flags}`, 2)).toMatchObject({
      message: expect.stringMatching(message),
    });
  });
});
