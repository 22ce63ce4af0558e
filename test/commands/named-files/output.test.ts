import fs from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { OutputTarget } from '../../../src/commands/named-files/output.js';
import type { Context } from '../../../src/commands/session/command.js';
import { Failure } from '../../../src/errors.js';
import { pausesOnly } from '../../support/command-clocks.js';
import { runPit, temporaryHome } from '../../support/pit.js';
import { PitHome } from '../pit-home.js';

const home = temporaryHome();
const pit = new PitHome(home);
let folder = '';
const at = (name: string) => path.join(folder, name);
const read = (name: string) => fs.readFileSync(at(name), 'utf8');

beforeAll(() => pit.serve());
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(home, 'files-'));
});

const SINCE = '--type 1day --since 3d';

/** Commands that write a file that the user names, an ending for it, and how the file begins. */
const WRITERS = [
  ['sandbox export', 'state', /^\{"pitSandbox":7\}\n/],
  ['kline btc_usdt --svg', 'svg', /^<svg [^>]*>\n<title>btc_usdt 1hour<\/title>/],
  [`kline btc_usdt ${SINCE} --out`, 'csv', /^market,type,time,/],
  ['trades btc_usdt --since 1000000001 --out', 'parquet', /^PAR1/],
] as const;

describe.each(WRITERS)('pit %s FILE.%s', (command, ending, beginning) => {
  const name = `file.${ending}`;

  it('refuses a file that pit did not write, and replaces it with --force and then without', async () => {
    fs.writeFileSync(at(name), 'mine\n');
    await pit.failure(`${command} ${at(name)}`, 2);
    expect([fs.readdirSync(folder), read(name)]).toEqual([[name], 'mine\n']);
    for (const flag of [' --force', '']) {
      expect((await pit.run(`${command} ${at(name)}${flag}`)).code).toBe(0);
      expect([fs.readdirSync(folder), read(name)]).toEqual([[name], expect.stringMatching(beginning)]);
    }
  });

  it('follows a link, also to a file that does not exist yet', async () => {
    fs.symlinkSync(`target.${ending}`, at(name));
    expect((await pit.run(`${command} ${at(name)}`)).code).toBe(0);
    expect(fs.readlinkSync(at(name))).toBe(`target.${ending}`);
    expect(read(`target.${ending}`)).toMatch(beginning);
    fs.writeFileSync(at(`target.${ending}`), 'mine\n');
    await pit.failure(`${command} ${at(name)}`, 2);
    expect(read(`target.${ending}`)).toBe('mine\n');
  });

  it('refuses an empty name', async () => {
    const { environment } = pit.served;
    const words = [...command.split(' '), ''];
    const { code, stderr } = await runPit(words, { home, environment });
    expect([code, stderr]).toEqual([2, expect.stringContaining('The name of the file is empty.')]);
  });

  it('refuses a folder, a file in a missing folder, and a socket', async () => {
    await pit.failure(`${command} ${folder}`, 2);
    await pit.failure(`${command} ${at(`missing/${name}`)}`, 2);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(at(name), resolve));
    expect((await pit.failure(`${command} ${at(name)}`, 2)).message).toBe(`${at(name)} is a socket.`);
    expect(fs.lstatSync(at(name)).isSocket()).toBe(true);
    server.close();
  });
});

describe.each(WRITERS.filter(([, ending]) => ending !== 'parquet'))('pit %s, as %s', (command, _ending, beginning) => {
  it('writes to stdout for -, and nothing else there', async () => {
    const { code, stdout } = await pit.run(`${command} -`);
    expect([code, stdout]).toEqual([0, expect.stringMatching(beginning)]);
    expect(stdout).not.toContain('Wrote');
    expect(fs.existsSync('-')).toBe(false);
  });
});

it('refuses to replace a file that is read-only, also for root, and one that has another name', async () => {
  const name = at('state');
  const refusal = async () => (await pit.failure(`sandbox export ${name} --force`, 2)).message;
  expect((await pit.run(`sandbox export ${name}`)).code).toBe(0);
  const before = read('state');
  fs.linkSync(name, at('other'));
  expect(await refusal()).toBe(`${name} has another name, a hard link.`);
  fs.rmSync(at('other'));
  fs.chmodSync(name, 0o444);
  expect(await refusal()).toBe(`${name} is read-only.`);
  expect([fs.readdirSync(folder), read('state')]).toEqual([['state'], before]);
});

it('a download with --force leaves the old file as it was until it has rows', async () => {
  fs.writeFileSync(at('a.csv'), 'mine\n');
  const environment = { PIT_BASE_URL: 'http://127.0.0.1:1', PIT_TRADE_URL: 'http://127.0.0.1:1' };
  await pit.failure(`trades btc_usdt --since 1 --out ${at('a.csv')} --force --timeout 1`, 5, {
    environment,
    host: pausesOnly(),
  });
  expect([fs.readdirSync(folder), read('a.csv')]).toEqual([['a.csv'], 'mine\n']);
});

describe('what excludes -', () => {
  it.each([
    'sandbox export - --json',
    'sandbox export - --csv',
    'kline btc_usdt --svg - --json',
    'kline btc_usdt --svg - --csv',
    'kline btc_usdt --svg - --chart',
    'kline btc_usdt --svg - --fields time',
    'kline btc_usdt --force',
    'trades btc_usdt --force',
  ])('pit %s is a usage error', async (line) => {
    expect(await pit.run(line)).toMatchObject({ code: 2, stdout: '' });
  });

  it('--out - with --json is a JSON document for each row', async () => {
    const { stdout } = await pit.run(`kline btc_usdt ${SINCE} --out - --json`);
    const rows = stdout.trimEnd().split('\n');
    expect(rows.map((row) => JSON.parse(row).market)).toEqual(rows.map(() => 'btc_usdt'));
  });
});

it('an end of the program while a file is written leaves the old one, and nothing beside it', async () => {
  fs.writeFileSync(at('a'), 'old');
  let exit = () => {};
  const host = {
    onExit: (work: () => void) => {
      exit = work;
      return () => undefined;
    },
  };
  const target = new OutputTarget({ host } as unknown as Context, at('a'), {
    isForced: true,
    isOurs: () => false,
    secrecy: 'private',
  });
  const seen: string[][] = [];
  await target
    .write(
      (function* () {
        yield 'new';
        seen.push(fs.readdirSync(folder));
        exit();
        seen.push(fs.readdirSync(folder));
        throw new Failure('usage', 'ended');
      })(),
    )
    .catch(() => undefined);
  expect([seen.map((names) => names.length), seen[1], read('a')]).toEqual([[2, 1], ['a'], 'old']);
});

/** A user who is not the one that runs pit. */
const OTHER = 47_111;

/** Commands that write a file that the user names, in each of the ways in which pit opens one. */
const FILES = [
  ['sandbox export', 'a.state', ''],
  ['kline btc_usdt --svg', 'a.svg', ''],
  [`kline btc_usdt ${SINCE} --out`, 'a.csv', ''],
  ['trades btc_usdt --since 1000000001 --out', 'a.ndjson', ''],
  ['trades btc_usdt --since 1000000001 --out', 'a.parquet', ''],
  ['ledger --format hledger --out', 'a.journal', ''],
  ['pnl btc_usdt --svg', 'a.svg', ''],
  ['stream ticker:btc_usdt --out', 'a.ndjson', ' --timeout 1'],
] as const;

describe.runIf(process.geteuid?.() === 0).each(FILES)(
  'pit %s %s in a folder that everybody can write to',
  (command, name, flags) => {
    beforeEach(() => fs.chmodSync(folder, 0o1777));

    const refusals = async () => {
      const forced = /stream/.test(command) ? [''] : ['', ' --force'];
      const said = [];
      for (const force of forced) said.push((await pit.failure(`${command} ${at(name)}${flags}${force}`, 2)).message);
      return [...new Set(said)];
    };

    it('writes nothing into an empty file that another user has made, also with --force', async () => {
      fs.writeFileSync(at(name), '');
      fs.chmodSync(at(name), 0o666);
      fs.chownSync(at(name), OTHER, OTHER);
      expect(await refusals()).toEqual([`${at(name)} belongs to another user.`]);
      expect([fs.readdirSync(folder), fs.statSync(at(name)).size]).toEqual([[name], 0]);
    });

    it('follows no link that another user has made', async () => {
      fs.symlinkSync('target', at(name));
      fs.lchownSync(at(name), OTHER, OTHER);
      expect(await refusals()).toEqual([`${at(name)} leads through a link of another user, ${at(name)}.`]);
      expect(fs.readdirSync(folder)).toEqual([name]);
    });

    it('follows no folder that is a link of another user', async () => {
      fs.mkdirSync(at('target'));
      fs.symlinkSync('target', at('folder'));
      fs.lchownSync(at('folder'), OTHER, OTHER);
      const { message } = await pit.failure(`${command} ${at(`folder/${name}`)}${flags}`, 2);
      expect(message).toBe(`${at(`folder/${name}`)} leads through a link of another user, ${at('folder')}.`);
      expect(fs.readdirSync(at('target'))).toEqual([]);
    });

    it('writes nothing into a file with a second name', async () => {
      fs.writeFileSync(at('other'), '');
      fs.linkSync(at('other'), at(name));
      expect(await refusals()).toEqual([`${at(name)} has another name, a hard link.`]);
      expect(fs.statSync(at('other')).size).toBe(0);
    });
  },
);

it.runIf(process.geteuid?.() === 0)(
  'keeps the rows of an unfinished Parquet file in no file of another user',
  async () => {
    fs.writeFileSync(at('a.parquet.part'), '');
    fs.chownSync(at('a.parquet.part'), OTHER, OTHER);
    const { message } = await pit.failure(`trades btc_usdt --since 1000000001 --out ${at('a.parquet')}`, 2);
    expect(message).toBe(`${at('a.parquet.part')} belongs to another user.`);
  },
);

it('makes what is of the account for its owner alone, and lets the umask decide about prices', async () => {
  // above the best price, which may move before the order arrives: without a fill, there is nothing to draw
  expect((await pit.run('order buy btc_usdt 0.01 --at ask+2% --yes')).code).toBe(0);
  const modes = new Map<string, number>();
  // a stream has no end of its own: the test of tapes has the mode of its file
  for (const [command, name] of FILES.filter(([command]) => !command.startsWith('stream'))) {
    expect((await pit.run(`${command} ${at(name)}`)).code).toBe(0);
    modes.set(`${command.split(' ')[0]} ${name}`, fs.statSync(at(name)).mode & 0o777);
    fs.rmSync(at(name));
  }
  const open = 0o666 & ~process.umask();
  expect(Object.fromEntries(modes)).toEqual({
    ...{ 'sandbox a.state': 0o600, 'ledger a.journal': 0o600, 'pnl a.svg': 0o600 },
    ...{ 'kline a.svg': open, 'kline a.csv': open, 'trades a.ndjson': open, 'trades a.parquet': open },
  });
});

it('replaces nothing that another program wrote while it was at work', async () => {
  const host = { onExit: () => () => undefined };
  const rules = { isForced: false, isOurs: () => false, secrecy: 'private' } as const;
  const target = new OutputTarget({ host } as unknown as Context, at('a'), rules);
  const pieces = (function* () {
    yield 'new';
    fs.writeFileSync(at('a'), 'mine');
  })();
  await expect(target.write(pieces)).rejects.toThrow(`${at('a')} exists, and pit did not write it.`);
  expect([fs.readdirSync(folder), read('a')]).toEqual([['a'], 'mine']);
});

it('keeps the mode of a file that it replaces, but exports the sandbox for its owner only', async () => {
  await pit.run(`kline btc_usdt --svg ${at('a.svg')}`);
  await pit.run(`sandbox export ${at('state')}`);
  fs.chmodSync(at('a.svg'), 0o640);
  fs.chmodSync(at('state'), 0o644);
  await pit.run(`kline btc_usdt --svg ${at('a.svg')}`);
  await pit.run(`sandbox export ${at('state')}`);
  expect(['a.svg', 'state'].map((name) => fs.statSync(at(name)).mode & 0o777)).toEqual([0o640, 0o600]);
});
