import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { PrepareRequest } from '../../../src/commands/commit/prepare.js';
import { directoriesOf } from '../../../src/platform/files/directories.js';
import { UNLIMITED } from '../../../src/sandbox/server/limits.js';
import { AgentLimits } from '../../../src/trading/guards/agent-limits.js';
import { PreparedStore } from '../../../src/trading/prepared/prepared-store.js';
import { idOf, type PreparedWrite } from '../../../src/trading/prepared/prepared-write.js';
import { cancellation, ladder, order, prepareIn, replacement } from '../../support/prepare.js';
import { LOST, PASS, slow } from '../../support/world/network.js';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import type { StartOptions } from '../../support/world/world.js';
import { lastError, useWorldPerTest } from '../pit-home.js';

const pit = useWorldPerTest({
  limits: UNLIMITED,
  markets: STILL_MARKETS,
});

const ORDER = 'buy 0.01 btc_usdt bid-2%';

/** The flags that make an order an algo order. */
const ALGO_FLAG = /^--(take|stop|trail|over|chase|show)$/;

function prepare(request: PrepareRequest, options: Parameters<typeof prepareIn>[2] = {}) {
  return pit.world.work((host, link) => prepareIn(pit.home, request, { ...options, host, link }));
}

interface Committing extends Pick<StartOptions, 'host'> {
  /** Flags. */
  readonly words?: readonly string[];
  /** What the user types at the question. */
  readonly answer?: string;
}

/** Commits with `--json` at a terminal. Returns the exit code, the document of stdout, and what the terminal shows. */
async function commit(id: string, { words = [], answer = 'y\r', host = {} }: Committing = {}) {
  const environment = { NO_COLOR: '1' };
  const steps = [{ await: '[y/N]', type: answer }];
  const terminal = { host, environment, columns: 200, pipedOutput: true, steps };
  const { code, stdout, screen } = await pit.world.run(['commit', id, ...words, '--json'], terminal);
  return { code, data: stdout === '' ? undefined : (JSON.parse(stdout) as unknown), screen };
}

interface Listed {
  readonly id: string;
  readonly clientId: string | null;
  readonly state: string;
  readonly price: string;
  readonly amount: string;
}

/** The orders of the exchange, by its own list. */
function orders(state = 'all', market = 'btc_usdt'): Promise<Listed[]> {
  return pit.json<Listed[]>(`orders ${market} --state ${state} --all`);
}

/** Sets the price of the market. */
function moveTo(price: number): void {
  pit.world.exchange.quote('btc_usdt', { bid: (price - 10).toFixed(2), ask: price.toFixed(2) });
}

/** Commits with a user who confirms. Returns what the command prints. */
async function committed<Document = unknown>(id: string, options: Committing = {}) {
  const { code, data, screen } = await commit(id, options);
  expect({ code, screen: code === 0 ? '' : screen }).toEqual({ code: 0, screen: '' });
  return data as Document;
}

/** The error of a commit that is refused, exit code 2. */
async function refusal(id: string, options: Committing = {}) {
  const { code, data, screen } = await commit(id, options);
  expect({ code, data }).toEqual({ code: 2, data: undefined });
  return lastError(screen.slice(screen.lastIndexOf('{"error"')));
}

/** What is prepared in the world. */
function storeOf(): PreparedStore {
  return new PreparedStore({ now: pit.world.clock.now, randomBytes, directories: directoriesOf(pit.home) });
}

/** The lines of a terminal, each as its cells. */
function cells(screen: string): string[][] {
  return screen.split(/\r?\n/).map((line) => line.trimEnd().split(/ {2,}/));
}

function fileOf({ id }: PreparedWrite): string {
  return path.join(pit.home, 'state', 'prepared', id);
}

describe('a prepared write', () => {
  it('has the exact order, its costs and its warnings, and nothing of it is sent', async () => {
    const before = await orders();
    const prepared = await prepare(order('buy 100usdt btc_usdt bid-2%'));
    expect(prepared).toMatchObject({
      id: expect.stringMatching(/^pit[0-9a-f]{24}$/),
      profile: 'sandbox',
      account: 'sandbox',
      estimates: { spentCoin: 'usdt', warnings: [] },
    });
    const [{ price = '', amount = '' } = {}] = prepared.write.places;
    expect(prepared.write).toMatchObject({
      kind: 'order',
      argv: ['order', 'buy', 'btc_usdt', amount, '--at', price],
      text: expect.stringMatching(/^buy [\d.]+ btc_usdt at [\d,.]+ \(limit, spot\)$/),
      places: [{ side: 'buy', type: 'limit', account: 'spot' }],
    });
    expect(Number(price) * Number(amount)).toBeCloseTo(100, 0);
    expect(prepared.expires - prepared.made).toBe(300_000);
    expect(await orders()).toEqual(before);
  });

  it('says of a ladder which account it trades in', async () => {
    const { write } = await prepare(ladder('sell 0.3 btc_usdt ask+1%:ask+5%:3', '--account', 'cross'));
    expect(write.text).toMatch(/^3 orders: sell 0\.3 btc_usdt in all at .* \(limit, cross margin\)$/);
  });

  it('is refused for a guard that blocks, with the command that asks the user', async () => {
    await expect(prepare(order('buy 0.01 btc_usdt ask+50%'))).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringMatching(/^price-band blocks this: .* Nothing was sent\.$/),
      hints: [
        'An agent cannot override a guard.',
        { note: 'The user can, in a terminal', argv: ['order', 'buy', 'btc_usdt', '0.01', '--at', 'ask+50%'] },
      ],
    });
  });

  it('is refused while the account is halted, unless it only cancels', async () => {
    const { id } = await pit.json<Listed>('order buy btc_usdt 0.01 --at bid-2% --yes');
    await pit.json('halt');
    await expect(prepare(order(ORDER))).rejects.toMatchObject({ halted: true });
    const prepared = await prepare(cancellation('btc_usdt', id));
    expect(await committed(prepared.id)).toMatchObject([{ outcome: 'cancelled', id }]);
  });
});

describe('a prepared cancellation', () => {
  const placed = async (price: string) => (await pit.json<Listed>(`order buy btc_usdt 0.01 --at ${price} --yes`)).id;

  it('names the orders that it cancels, by their ids, and changes nothing else', async () => {
    const [one, two] = [await placed('20001'), await placed('20002')];
    const ofOne = await prepare(cancellation('btc_usdt', one));
    const facts = { side: 'buy', price: '20001.00', amount: '0.010000', filled: '0.000000' };
    expect(ofOne.write).toEqual({
      ...{
        kind: 'cancel',
        market: 'btc_usdt',
        argv: ['cancel', 'btc_usdt', one],
        text: `cancel order ${one} in btc_usdt`,
      },
      ...{ cancels: [{ id: one, ...facts }], places: [], does: [], notional: null, key: null, askedKey: null },
    });
    const ofAll = await prepare(cancellation('btc_usdt', '--all'));
    expect(ofAll.write).toMatchObject({
      text: 'cancel 2 orders in btc_usdt',
      argv: ['cancel', 'btc_usdt', ...ofAll.write.cancels.map(({ id }) => id)],
    });
    expect(new Set(ofAll.write.cancels.map(({ id }) => id))).toEqual(new Set([one, two]));
    expect(ofAll.estimates).toEqual({
      ...{ fee: null, feeCoin: null, spentCoin: null, balanceBefore: null, balanceAfter: null, warnings: [] },
    });
    expect(await orders('open')).toHaveLength(2);
  });

  it('is refused if one of its orders is not open, or none is', async () => {
    await expect(prepare(cancellation('btc_usdt', '--all'))).rejects.toMatchObject({
      kind: 'usage',
      message: 'There are no open orders in btc_usdt.',
      hints: ['Nothing has to be cancelled.'],
    });
    await expect(prepare(cancellation('btc_usdt', await placed('20001'), '123'))).rejects.toMatchObject({
      kind: 'usage',
      message: 'Order 123 is not open in btc_usdt.',
      hints: [{ note: 'See what became of it', argv: ['order', 'show', 'btc_usdt', '123'] }],
    });
  });
});

describe('pit commit without an id', () => {
  it('lists prepared writes that can be committed', async () => {
    const [first, second] = [await prepare(order(ORDER)), await prepare(ladder('buy 0.3 btc_usdt bid-1%:bid-5%:3'))];
    await committed(first.id);
    const listed = await pit.json<{ id: string }[]>('commit');
    expect(listed.map(({ id }) => id)).toContain(second.id);
    expect(listed.map(({ id }) => id)).not.toContain(first.id);
    expect(listed.at(-1)).toMatchObject({
      kind: 'ladder',
      market: 'btc_usdt',
      text: second.write.text,
    });
    const [header = '', row = ''] = (await pit.done('commit')).split('\n');
    expect(header.split(/ {2,}/)).toEqual(['id', 'what it does', 'profile', 'expires (UTC)']);
    expect(row.split(/ {2,}/).slice(0, 3)).toEqual([second.id, second.write.text, 'sandbox']);
  });

  it('says that nothing is prepared', async () => {
    expect(await pit.done('commit')).toBe('Nothing is prepared.\n');
  });
});

describe('pit commit', () => {
  it('places exactly the order that was prepared, under the id of what was prepared', async () => {
    const { id, write } = await prepare(order(ORDER));
    const done = await committed<Listed>(id);
    const [placed] = write.places;
    expect(done).toMatchObject({ outcome: 'placed', clientId: id, price: placed?.price, amount: placed?.amount });
    expect(await pit.json(`order show btc_usdt --id ${id}`)).toMatchObject({ id: done.id, state: 'open' });
  });

  it('sends the prepared price although the market has moved since', async () => {
    const { id, write } = await prepare(order(ORDER));
    moveTo(30_300);
    expect(await committed(id)).toMatchObject({ price: write.places[0]?.price });
  });

  it('holds the limits of the agent that prepared it', async () => {
    const agentLimits = new AgentLimits({ maxOpen: 1 });
    const [first, second] = [
      await prepare(order(ORDER), { agentLimits }),
      await prepare(order('buy 0.02 btc_usdt bid-3%'), { agentLimits }),
    ];
    await committed(first.id);
    expect(await refusal(second.id)).toMatchObject({
      message: expect.stringMatching(/^max-open blocks this: with it, \d+ orders would be open, and the limit is 1\. /),
    });
    expect(await orders('open')).toHaveLength(1);
  });

  it('sends nothing if the market has moved so that a guard blocks', async () => {
    const { id } = await prepare(order('sell 0.01 btc_usdt bid'));
    moveTo(39_000);
    expect(await refusal(id)).toMatchObject({
      message: expect.stringMatching(/^price-band blocks this: .* Nothing was sent\.$/),
      hint: 'The market or the limits have changed since it was prepared. Prepare it again.',
    });
    await pit.failure(`order show btc_usdt --id ${id}`, 3);
  });

  it('runs a ladder with the prepared lines under the id of its job', async () => {
    const { id, write } = await prepare(ladder('buy 0.3 btc_usdt bid-1%:bid-5%:3'));
    const done = await committed<{ orders: Listed[] }>(id);
    expect(done).toMatchObject({ job: id, placed: 3 });
    expect(done.orders.map(({ price, amount }) => ({ price, amount }))).toEqual(
      write.places.map(({ price, amount }) => ({ price, amount })),
    );
  });

  it('replaces an order', async () => {
    const old = await pit.json<Listed>('order buy btc_usdt 0.01 --at bid-2% --yes');
    const { id, write } = await prepare(replacement('btc_usdt', old.id, 'bid-3%'));
    expect(await committed(id)).toMatchObject({
      outcome: 'placed',
      clientId: id,
      price: write.places[0]?.price,
      replaced: { outcome: 'cancelled', id: old.id },
    });
  });

  it('cancels the orders that were open when it was prepared, and no later one', async () => {
    const [one, two] = [
      await pit.json<Listed>('order buy btc_usdt 0.01 --at bid-2% --yes'),
      await pit.json<Listed>('order buy btc_usdt 0.01 --at bid-3% --yes'),
    ];
    const { id } = await prepare(cancellation('btc_usdt', '--all'));
    const later = await pit.json<Listed>('order buy btc_usdt 0.01 --at bid-4% --yes');
    const rows = await committed<Listed[]>(id);
    expect(new Set(rows.map((row) => row.id))).toEqual(new Set([one.id, two.id]));
    expect((await orders('open')).map((row) => row.id)).toEqual([later.id]);
  });

  it('cancels nothing before the user confirms the orders that it shows', async () => {
    const { id: open } = await pit.json<Listed>('order buy btc_usdt 0.01 --at bid-2% --yes');
    const { id } = await prepare(cancellation('btc_usdt', open));
    const { code, data, screen } = await commit(id, { answer: 'n\r' });
    expect({ code, data }).toEqual({ code: 8, data: undefined });
    const lines = cells(screen);
    expect(lines.slice(0, 4)).toEqual([
      ['cancels', 'side', 'price', 'amount', 'filled'],
      [expect.stringMatching(/^─+$/)],
      [open, '+ BUY', expect.stringMatching(/^\d\d,\d{3}\.\d\d$/), '0.01', '0'],
      ['exchange', `${pit.served.address.tradeUrl} (profile sandbox)`],
    ]);
    expect(screen).toContain(`Cancel order ${open} in btc_usdt? [y/N]`);
    expect((await orders('open')).map((row) => row.id)).toEqual([open]);
  });

  it('pauses an algo order once the user confirms what is not protected after it', async () => {
    const { id: algo } = await pit.json<{ id: string }>('order sell btc_usdt 0.01 --stop bid-10% --yes');
    const pause = { kind: 'algoPause', market: 'btc_usdt', argv: ['algo', 'pause', algo] } as const;
    const { id, write } = await prepare(pause);
    const { code, data, screen } = await commit(id);
    expect([code, data]).toEqual([0, [expect.objectContaining({ id: algo, state: 'paused' })]]);
    const lines = cells(screen);
    expect(lines.slice(0, 2)).toEqual([
      ['exchange', `${pit.served.address.tradeUrl} (profile sandbox)`],
      ['warning', `NOT PROTECTED after this: ${algo}. No stop of it is sent.`],
    ]);
    expect(screen).toContain(`P${write.text.slice(1)}? [y/N]`);
  });

  it('replaces nothing if the order is not the one that was shown', async () => {
    const { id: open } = await pit.json<Listed>('order buy btc_usdt 0.01 --at bid-2% --yes');
    const { write, estimates } = await prepare(replacement('btc_usdt', open, 'bid-3%'));
    const cancels = write.cancels.map((one) => ({ ...one, amount: '0.5' }));
    const store = storeOf();
    const kept = { write: { ...write, cancels }, estimates, profile: 'sandbox', account: 'sandbox', limits: {} };
    expect((await refusal(store.keep(kept).id)).message).toMatch(/^It would do something else now/);
    expect((await orders('open')).map((row) => row.id)).toEqual([open]);
  });

  it('only previews with --dry-run, and can be committed afterwards', async () => {
    const prepared = await prepare(order(ORDER));
    const { id } = prepared;
    const before = readFileSync(fileOf(prepared), 'utf8');
    expect(await pit.json(`commit ${id} --dry-run`)).toMatchObject({ dryRun: true, operation: 'order' });
    expect(readFileSync(fileOf(prepared), 'utf8')).toBe(before);
    expect(await committed(id)).toMatchObject({ outcome: 'placed', clientId: id });
  });

  it.each([
    ['order buy btc_usdt 100usdt --at mid-2%', '--account isolated --borrow --post-only'],
    ['order sell btc_usdt 10% --at ask+50ticks', '--ioc'],
    ['order sell btc_usdt 0.0100 --at 28500.0', ''],
    ['order batch buy btc_usdt --ladder bid-1%:bid-5%:7 --amount 1000usdt', '--weight linear'],
    ['order batch sell btc_usdt --ladder 29000:30001:3 --amount 33%', '--account spot'],
    ['order batch sell btc_usdt --ladder ask+1%:ask+5%:3 --amount 0.5', '--account cross'],
    ['order sell btc_usdt 10%', '--trail 1000 --trigger last'],
    ['order sell btc_usdt 0.01', '--trail 1234.5 --take ask+2% --slippage 0.25%'],
    ['order sell btc_usdt 0.01', '--trail 2.5%'],
    ['order buy btc_usdt 500usdt', '--trail 5000ticks'],
    ['order buy btc_usdt 500usdt --at bid-1%', '--stop bid-4% --limit bid-5% --for 5400s --when eth_usdt:bid<9000'],
    ['order buy btc_usdt 500usdt --at ask+1%', '--over 90m --every 90s --slippage 0.125%'],
    ['order buy btc_usdt 500usdt', '--over 2h --passive'],
    ['order buy btc_usdt 500usdt --at ask+1%', '--chase --when close:15min>20000'],
    ['order buy btc_usdt 5000usdt --at bid-1%', '--show 1% --post-only'],
  ])('does what was prepared of %s %s', async (line, flags) => {
    const argv = `${line} ${flags}`.trim().split(' ');
    const kind = argv[1] === 'batch' ? 'ladder' : argv.some((word) => ALGO_FLAG.test(word)) ? 'algo' : 'order';
    const { id, write } = await prepare({ kind, market: 'btc_usdt', argv });
    // each price and amount is a number by now
    expect(write.argv.join(' ').replace(/ --(trail|slippage|when) \S+/g, '')).not.toMatch(/bid|ask|mid|%|\dusdt/);
    expect(await pit.json(`commit ${id} --dry-run`)).toMatchObject({ dryRun: true });
  });

  it('needs a terminal: --yes does not confirm it, and the prepared write stays', async () => {
    const { id } = await prepare(order(ORDER));
    for (const line of [`commit ${id}`, `commit ${id} --yes`])
      expect(await pit.failure(line, 8)).toMatchObject({
        kind: 'declined',
        message: 'A person has to confirm what an agent prepared, and there is no terminal to ask on.',
        hint: 'Run this in a terminal without --yes, which does not confirm it, or add --dry-run to see what it would do.',
      });
    const terminal = { columns: 200, pipedOutput: true, steps: [] };
    const unasked = await pit.world.run(`commit ${id} --yes --json`, terminal);
    expect([unasked.code, unasked.stdout]).toEqual([8, '']);
    expect(unasked.screen).toContain('with --yes pit asks nothing');
    expect(unasked.screen).not.toContain('[y/N]');
    await pit.failure(`order show btc_usdt --id ${id}`, 3);
    expect(await committed(id)).toMatchObject({ outcome: 'placed', clientId: id });
  });

  it.each([
    ['an order', order(ORDER), { argv: ['order', 'sell', 'btc_usdt', '4.9', '--at', '20000'] }],
    ['an order with a flag', order(ORDER), { flags: ['--override', 'price-band'] }],
    ['an order of another name', order(ORDER), { flags: ['--id', 'myorder1'] }],
    ['the lines of a ladder', ladder('buy 0.3 btc_usdt bid-1%:bid-5%:3'), { key: '' }],
    ['the places of a ladder', ladder('buy 0.3 btc_usdt bid-1%:bid-5%:3'), { places: [] }],
  ])('sends nothing if a command line does something else than what was shown: %s', async (_, request, changed) => {
    const { write, estimates } = await prepare(request);
    const { flags = [], ...others } = { flags: [], ...changed };
    const store = storeOf();
    const forged = { ...write, argv: [...write.argv, ...flags], ...others };
    const { id } = store.keep({ write: forged, estimates, profile: 'sandbox', account: 'sandbox', limits: {} });
    const before = await orders();
    expect((await refusal(id)).message).toBe(
      'It would do something else now than what was prepared, so nothing was sent.',
    );
    expect(await orders()).toEqual(before);
  });

  it('runs no command that is none of its kind', async () => {
    const { write, estimates } = await prepare(order(ORDER));
    const store = storeOf();
    for (const argv of [
      ['withdraw', 'btc', '1'],
      ['cancel', 'btc_usdt', '--all'],
      ['--yes', ...write.argv],
      [...write.argv, '--yes'],
    ]) {
      const kept = { write: { ...write, argv }, estimates, profile: 'sandbox', account: 'sandbox', limits: {} };
      expect(await refusal(store.keep(kept).id)).toMatchObject({ kind: 'usage' });
    }
  });

  it('refuses what an older release has prepared', async () => {
    const prepared = await prepare(order(ORDER));
    const key = Buffer.from(readFileSync(path.join(pit.home, 'state', 'prepared-key'), 'utf8'), 'hex');
    const content = JSON.parse(readFileSync(fileOf(prepared), 'utf8')) as object;
    const terms = { market: 'btc_usdt', side: 'buy', type: 'limit', account: 'spot', price: '20000', amount: '0.01' };
    const line = JSON.stringify({ ...content, write: { kind: 'order', terms } });
    const id = idOf(line, 'order', key);
    writeFileSync(path.join(path.dirname(fileOf(prepared)), id), `${line}\n`, { mode: 0o600 });
    expect(await refusal(id)).toMatchObject({
      message: `${id} was prepared by an older release of pit, so it was not sent.`,
      hint: 'Prepare it again.',
    });
    expect((await pit.json<{ id: string }[]>('commit')).map((one) => one.id)).not.toContain(id);
  });

  it('refuses a file that was made without the key', async () => {
    const prepared = await prepare(order(ORDER));
    const [line = ''] = readFileSync(fileOf(prepared), 'utf8').split('\n');
    const changed = line.replace('"amount":"0.01"', '"amount":"4.9"');
    const id = `pit${createHash('sha256').update(changed).digest('hex').slice(0, 24)}`;
    writeFileSync(path.join(path.dirname(fileOf(prepared)), id), `${changed}\n`, { mode: 0o600 });
    expect((await refusal(id)).message).toBe(
      `The file of ${id} was changed after it was prepared, so it was not sent.`,
    );
    expect((await pit.json<{ id: string }[]>('commit')).map((one) => one.id)).not.toContain(id);
  });

  it.each<[string, (file: string) => void]>([
    ['is open to others', (file) => chmodSync(file, 0o644)],
    [
      'is a folder',
      (file) => {
        rmSync(file);
        mkdirSync(file);
      },
    ],
  ])('is the only one that cannot be committed if its file %s, and every other one names it', async (_what, spoil) => {
    const bad = await prepare(order(ORDER));
    spoil(fileOf(bad));
    onTestFinished(() => rmSync(fileOf(bad), { recursive: true, force: true }));
    const named = expect.stringContaining(`The prepared write ${bad.id} cannot be committed`) as string;
    const { id, estimates } = await prepare(order('sell 0.02 btc_usdt ask+5%'));
    expect(estimates.warnings).toEqual([named]);
    const { stdout, stderr } = await pit.world.run('commit --json');
    const ids = (JSON.parse(stdout) as { readonly id: string }[]).map((one) => one.id);
    expect([ids.includes(id), ids.includes(bad.id), stderr]).toEqual([true, false, named]);
    const refused = await commit(bad.id);
    expect([refused.code, refused.screen]).toEqual([expect.any(Number), expect.stringContaining(fileOf(bad))]);
    expect(refused.code).not.toBe(0);
    expect(await committed(id)).toMatchObject({ outcome: 'placed', clientId: id });
  });

  it('is named by every other one if its file was changed: nothing is compared with it', async () => {
    const changed = await prepare(order(ORDER));
    writeFileSync(fileOf(changed), '{', { mode: 0o600 });
    onTestFinished(() => rmSync(fileOf(changed)));
    const { estimates } = await prepare(order(ORDER));
    expect(estimates.warnings).toEqual([
      `The prepared write ${changed.id} cannot be committed, and a new one is not compared with it: its file was changed after it was prepared.`,
    ]);
  });

  it('is deleted after a day, also if something else is in the folder that cannot be', async () => {
    const old = fileOf(await prepare(order(ORDER)));
    const folder = path.join(path.dirname(old), 'a');
    mkdirSync(folder, { mode: 0o700 });
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const one of [old, folder]) utimesSync(one, 0, 0);
    await prepare(order('sell 0.02 btc_usdt ask+5%'));
    expect([existsSync(old), existsSync(folder)]).toEqual([false, true]);
  });

  it.each(['', 'no key', 'ab'])(
    'neither prepares nor sends while the key of the digest is damaged: %j',
    async (damaged) => {
      const prepared = await prepare(order(ORDER));
      const file = path.join(pit.home, 'state', 'prepared-key');
      const key = readFileSync(file);
      onTestFinished(() => writeFileSync(file, key));
      writeFileSync(file, damaged);
      const forged = readFileSync(fileOf(prepared), 'utf8').split('\n')[0] ?? '';
      const id = idOf(forged, 'order', Buffer.from(damaged, 'hex'));
      writeFileSync(path.join(path.dirname(fileOf(prepared)), id), `${forged}\n`, { mode: 0o600 });
      const { code, screen } = await commit(id);
      expect([code, screen]).toEqual([4, expect.stringContaining(`${file} is damaged.`)]);
      await expect(prepare(order(ORDER))).rejects.toMatchObject({
        kind: 'credentials',
        message: `${file} is damaged.`,
      });
    },
  );

  it('says what became of an id that was committed before', async () => {
    const { id } = await prepare(order(ORDER));
    const done = await committed<Listed>(id);
    const before = await orders();
    expect(await refusal(id)).toMatchObject({
      clientId: id,
      message: `${id} was committed already: placed, order ${done.id}. Nothing was sent this time.`,
      hint: expect.stringContaining(`pit resolve ${id}`),
    });
    expect(await orders()).toEqual(before);
  });

  it.each<[what: string, request: PrepareRequest, write: string, message: string, hint: RegExp]>([
    [
      'an order',
      order(ORDER),
      'order',
      'its outcome is not known yet',
      /^See what became of it: pit resolve pit[0-9a-f]{24}$/,
    ],
    [
      'cancellations, which have no record',
      cancellation('btc_usdt', '--all'),
      'cancelOrder',
      'what came of it is not known yet',
      /^See what is open: pit orders btc_usdt$/,
    ],
  ])('exits with 6 for an id whose process died while it sent %s', async (_, request, write, message, hint) => {
    await pit.done('order buy btc_usdt 0.03 --at bid-2% --yes');
    const { id } = await prepare(request);
    const before = pit.world.sent(write).length;
    const steps = [{ await: '[y/N]', type: 'y\r' }];
    pit.world.network.treat = ({ operation }) => (operation === write ? slow(20_000) : PASS);
    const died = pit.world.start(`commit ${id}`, { columns: 200, steps });
    await pit.world.until(() => pit.world.sent(write).length > before);
    died.kill();
    const { code, data, screen } = await commit(id);
    expect([code, data]).toEqual([6, undefined]);
    expect(lastError(screen.slice(screen.lastIndexOf('{"error"')))).toMatchObject({
      ...{ kind: 'unknown', clientId: id, hint: expect.stringMatching(hint) },
      message: `${id} was committed already: ${message}. Nothing was sent this time.`,
    });
    expect(pit.world.sent(write)).toHaveLength(before + 1);
  });

  it.each([
    ['no', 'n\r', 8, 'Not confirmed; nothing was sent', true],
    ['Ctrl-C', '\u0003', 130, 'it was interrupted before anything was sent', false],
  ])('cannot be committed again after %s at its question, which is said', async (_, answer, code, why, isKnown) => {
    const { id } = await prepare(order(ORDER));
    expect((await commit(id, { answer })).code).toBe(code);
    expect(storeOf().find(id)).toMatchObject({ isTaken: true, isKnown });
    expect(await refusal(id)).toMatchObject({
      clientId: id,
      message: `${id} was not sent and cannot be committed again: ${why}.`,
      hint: 'Prepare it again.',
    });
    await pit.failure(`order show btc_usdt --id ${id}`, 3);
  });

  it('does not count as reported while a part of a ladder is unknown', async () => {
    const { id } = await prepare(ladder('buy 0.3 btc_usdt bid-1%:bid-5%:3'));
    // nothing answers once the ladder was sent
    pit.world.network.treat = () => (pit.world.sent('orderMoreV2').length > 0 ? LOST : PASS);
    expect(await commit(id, { words: ['--timeout', '4'] })).toMatchObject({ code: 6, data: { job: id } });
    expect(storeOf().find(id)).toMatchObject({ isTaken: true, reported: null });
  });

  it('says that nothing was sent by a commit whose process died at the question', async () => {
    const { id } = await prepare(order(ORDER));
    const died = pit.world.start(`commit ${id}`, { columns: 200, steps: [{ await: 'never shown' }] });
    await pit.world.until(() => died.screen.includes('[y/N]'));
    died.kill();
    expect(await refusal(id)).toMatchObject({
      message: `${id} was not sent and cannot be committed again: its process ended before anything was sent.`,
      hint: 'Prepare it again.',
    });
    await pit.failure(`order show btc_usdt --id ${id}`, 3);
  });

  it.each<[what: string, request: PrepareRequest, outcome: string, hint: RegExp]>([
    ['cancellations', cancellation('btc_usdt', '--all'), ': it was done', /^Prepare it again\.$/],
    [
      'an algo order',
      { kind: 'algo', market: 'btc_usdt', argv: 'order sell btc_usdt 0.01 --trail 2.5%'.split(' ') },
      '',
      /^See the algo order: pit algo show a[0-9a-z]{6}$/,
    ],
  ])('says what to do about %s that were committed before', async (_, request, outcome, hint) => {
    await pit.done('order buy btc_usdt 0.03 --at bid-2% --yes');
    const { id } = await prepare(request);
    await committed(id);
    expect(await refusal(id)).toMatchObject({
      message: `${id} was committed already${outcome}. Nothing was sent this time.`,
      hint: expect.stringMatching(hint),
    });
  });

  it('sends an id once however many processes commit it at the same time', async () => {
    const { id } = await prepare(order(ORDER));
    const before = await orders();
    const codes = await Promise.all(Array.from({ length: 4 }, async () => (await commit(id)).code));
    const [first, ...others] = codes.sort();
    expect(first).toBe(0);
    // 6 while the first one is under way, 2 afterwards
    for (const code of others) expect([2, 6]).toContain(code);
    expect(await orders()).toHaveLength(before.length + 1);
  });

  it('refuses an id whose file was put back after it was committed', async () => {
    const prepared = await prepare(order(ORDER));
    const [file, copy] = [fileOf(prepared), path.join(pit.home, 'copy')];
    copyFileSync(file, copy);
    await committed(prepared.id);
    const before = await orders();
    rmSync(path.join(path.dirname(file), `.${prepared.id}.1`));
    renameSync(copy, file);
    expect(await refusal(prepared.id)).toMatchObject({
      message: expect.stringContaining('was committed already: placed'),
    });
    expect(await orders()).toEqual(before);
  });

  it('refuses a file once any byte has changed', async () => {
    const prepared = await prepare(order(ORDER));
    const bytes = readFileSync(fileOf(prepared));
    const store = storeOf();
    const unnoticed = [...bytes.keys()].filter((index) => {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      writeFileSync(fileOf(prepared), changed);
      return store.find(prepared.id) !== 'changed';
    });
    expect(unnoticed).toEqual([]);
    writeFileSync(fileOf(prepared), bytes.toString('utf8').replace('"amount":"0.01"', '"amount":"0.02"'));
    expect(await refusal(prepared.id)).toMatchObject({
      message: `The file of ${prepared.id} was changed after it was prepared, so it was not sent.`,
    });
  });

  it('refuses an id after 5 minutes', async () => {
    const { id, expires } = await prepare(order(ORDER));
    const late = { host: { now: () => expires + 1 } };
    expect(await refusal(id, late)).toMatchObject({
      message: expect.stringMatching(/ expired .* ago: it could be committed for 5 minutes\. Nothing was sent\.$/),
    });
    expect(await pit.json('commit', late)).toEqual([]);
    expect(await committed(id, { host: { now: () => expires } })).toMatchObject({ outcome: 'placed' });
  });

  it('refuses an id of another profile, and names the command for it', async () => {
    const { id } = await prepare(order(ORDER));
    const { baseUrl, tradeUrl } = pit.served.address;
    await pit.done(`profile add other --base-url ${baseUrl} --trade-url ${tradeUrl}`);
    const keys = { input: `${pit.served.address.accessKey}\n${pit.served.address.secretKey}\n` };
    await pit.done('keys set --profile other --stdin', keys);
    expect(await refusal(id, { words: ['--profile', 'other'] })).toMatchObject({
      message: `${id} was prepared for the profile sandbox, not for other.`,
      hint: expect.stringContaining(`pit commit ${id} --profile sandbox`),
    });
    const { id: others } = await prepare(order('buy 0.02 btc_usdt bid-2%'), { profile: 'other' });
    expect(await refusal(others)).toMatchObject({
      message: expect.stringContaining('was prepared for the profile other'),
    });
    const changed = { input: 'another0-access-key0-0000\nanother0-secret-key0-0000\n' };
    await pit.done('keys set --profile other --stdin', changed);
    expect(await refusal(others, { words: ['--profile', 'other'] })).toMatchObject({
      message: expect.stringContaining('was prepared for another account'),
    });
  });

  it('refuses an id that nothing was prepared as', async () => {
    expect(await refusal('pit000000000000000000000000')).toMatchObject({
      message: 'Nothing is prepared as pit000000000000000000000000.',
      hint: 'A prepared write can be committed once, within 5 minutes. List prepared writes: pit commit',
    });
    expect(await pit.failure('commit ../../etc/passwd --yes', 2)).toMatchObject({ kind: 'usage' });
  });

  it('sends nothing while the account is halted', async () => {
    const { id } = await prepare(order(ORDER));
    await pit.json('halt');
    expect(await refusal(id)).toMatchObject({ halted: true });
  });
});
