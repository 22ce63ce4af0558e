import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer } from '../../../src/commands/completion/answer.js';
import type { Names } from '../../../src/commands/completion/complete.js';
import { knownNames } from '../../../src/commands/completion/known-names.js';
import { commandTree } from '../../../src/commands/reference/index.js';
import { directoriesOf } from '../../../src/platform/files/directories.js';
import { plainEnvironment, temporaryHome } from '../../support/pit.js';
import { runProgram } from '../../support/program.js';

const tree = await commandTree();

const NAMES: Names = {
  words: (kind, profile) =>
    ({
      markets: profile === 'overseas' ? ['ltc_qc'] : ['eos_eth', 'xrp_usdt'],
      coins: ['eos', 'xrp'],
      unresolved: ['lost0001'],
    })[kind],
  orders: () => [
    { market: 'eos_eth', id: '202611213892190900', clientId: 'myOwn1', terms: 'buy 0.5 at 0.01234' },
    { market: 'xrp_usdt', id: '112611213892190900', clientId: null, terms: 'sell 1.5 at 1,310.00' },
    { market: 'xrp_usdt', id: '7', clientId: null, terms: null },
  ],
  profiles: () => ['sandbox', 'overseas'],
  algos: () => ['a4k7x2q'],
  prepared: () => ['pit0123456789abcdef01234567'],
};

/** Every file below a folder, with its text and when it was last written. */
function filesOf(root: string): string[] {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => path.join(root, name));
  return files.map((file) => {
    const { mtimeMs, mode } = statSync(file);
    return [file, mode, mtimeMs, statSync(file).isFile() ? readFileSync(file, 'utf8') : ''].join(' ');
  });
}

/** The lines of the answer to a shell. */
function answered(line: string, replaced?: string, names = NAMES): string[] {
  const words = replaced === undefined ? [line] : [line, replaced];
  return answer(words, tree, names).split('\n').slice(0, -1);
}

/** The words of the answer, without what they mean. */
function offered(line: string, replaced?: string): string[] {
  return answered(line, replaced).map((text) => text.replace(/\t.*/, ''));
}

describe('the answer to a shell', () => {
  it.each<[string, string[]]>([
    ['pit mar', ['markets']],
    ['pit order sh', ['show']],
    ['pit order bu', ['buy']],
    ['pit help order re', ['replace']],
    ['PIT_PROFILE=live NODE_ENV= pit cancel-a', ['cancel-after']],
    ['/usr/local/bin/pit depo', ['deposits']],
    ['pit exi', []],
  ])('offers commands: %s', (line, words) => expect(offered(line)).toEqual(words));

  it.each<[string, string[]]>([
    ['pit depth --me', ['--merge']],
    ['pit depth --size 5 --si', []],
    ['pit depth --size=5 --si', []],
    ['pit --timeout 5 --json dept', ['depth']],
    ['pit order buy eos_eth 1 --override post-only --overr', ['--override']],
    ['pit cancel eos_eth --id', ['--id']],
  ])('offers flags that are not given yet, or may be repeated: %s', (line, words) =>
    expect(offered(line)).toEqual(words),
  );

  it.each<[string, string[]]>([
    ['pit kline eos_eth --out a.csv --s', ['--since']],
    ['pit kline eos_eth --chart --o', []],
    ['pit depth eos_eth --csv --w', []],
    ['pit depth eos_eth --watch --cs', []],
    ['pit markets --base eos e', []],
    ['pit markets eos_eth --ba', []],
    ['pit cancel eos_eth --id mine0001 --a', []],
    ['pit shell --y', []],
  ])('offers no flag and no argument that what is given excludes: %s', (line, words) =>
    expect(offered(line)).toEqual(words),
  );

  it.each<[string, string[]]>([
    ['pit order buy eos_eth 1 --show 0.1 --onc', []],
    ['pit halt --cancel --con', []],
    ['pit cancel eos_eth 1 --ref', []],
    ['pit pnl --lots --for', []],
    ['pit pnl --svg a.svg --for', ['--force']],
    ['pit order buy eos_eth 1 --ioc --onc', ['--once']],
  ])('offers no flag that needs one which what is given excludes: %s', (line, words) =>
    expect(offered(line)).toEqual(words),
  );

  it('offers first the flags that what is given needs', () => {
    expect(offered('pit trades eos_eth --force --')[0]).toBe('--out');
    expect(offered('pit ledger --out a.csv --')[0]).toBe('--format');
    expect(offered('pit kline eos_eth --force --').slice(0, 2)).toEqual(['--out', '--svg']);
  });

  it('offers flags where no argument is left, and none where an amount is to come', () => {
    expect(offered('pit orders eos_eth ')).toEqual(expect.arrayContaining(['--side', '--state', '--json', '--help']));
    expect(offered('pit order buy eos_eth ')).toEqual([]);
  });

  it.each<[string, string[]]>([
    ['pit orders --side s', ['sell']],
    ['pit orders --side=s', ['--side=sell']],
    ['pit orders --side S', ['sell']],
    ['pit order --override day-notional,pr', ['day-notional,price-band']],
    ['pit order --override=price-band,pr', []],
    ['pit markets --fields=market,lot', ['--fields=market,lotSize']],
    ['pit api depth mar', ['market=']],
    ['pit api somethingElse mar', []],
    ['pit completion ', ['install', 'uninstall', 'bash', 'zsh', 'fish']],
  ])('offers values: %s', (line, words) => expect(offered(line)).toEqual(words));

  it.each<[string, string[]]>([
    ['pit depth ', ['eos_eth', 'xrp_usdt']],
    ['pit depth EO', ['eos_eth']],
    ['pit depth EOS/', ['eos_eth']],
    ['pit depth --profile=overseas ', ['ltc_qc']],
    ['pit --profile overseas depth ', ['ltc_qc']],
    ['pit markets --base=X', ['--base=xrp']],
    ['pit profile use o', ['overseas']],
    ['pit resolve ', ['lost0001']],
    ['pit commit ', ['pit0123456789abcdef01234567']],
    ['pit cancel eos_eth ', ['202611213892190900']],
    ['pit cancel EOS-ETH --id ', ['myOwn1']],
    ['pit cancel ltc_qc ', []],
    ['pit cancel xrp_usdt ', ['112611213892190900', '7']],
    ['pit cancel xrp_usdt 7 ', ['112611213892190900']],
    ['pit cancel xrp_usdt 7 112611213892190900 ', []],
    ['pit ticker XRP/USDT ', ['eos_eth']],
    ['pit balance xrp ', ['eos']],
  ])('offers the names that earlier commands saw, in any form: %s', (line, words) =>
    expect(offered(line)).toEqual(words),
  );

  it.each<[string, string[]]>([
    ['pit stream cro', ['cross-balances']],
    ['pit stream or', ['orders', 'orders:']],
    ['pit stream balances kline:eo', ['kline:eos_eth:']],
    ['pit stream DEPTH:EO', ['depth:eos_eth']],
    ['pit stream kline:eos_eth:3d', ['kline:eos_eth:3day']],
    ['pit stream balances:e', []],
  ])('offers channels, their markets and the types of candles: %s', (line, words) =>
    expect(offered(line)).toEqual(words),
  );

  it('says what commands, flags and orders mean', () => {
    expect(answered('pit dept')).toEqual(['depth\tShow the order book of a market']);
    expect(answered('pit depth --siz')).toEqual([expect.stringMatching(/^--size\t.+/)]);
    expect(answered('pit cancel xrp_usdt ')).toEqual(['112611213892190900\tsell 1.5 at 1,310.00', '7']);
  });

  it('asks the shell for files, and for the command line of another program', () => {
    expect(answered('pit sandbox import some')).toEqual([':file']);
    expect(answered('pit order batch --file=~/x')).toEqual([':file']);
    expect(answered('pit markets --csv > ~/mark')).toEqual([':file']);
    expect(answered('pit cancel-after eos_eth --hold ')).toEqual(['--']);
    expect(answered('pit cancel-after eos_eth --hold -- python3 bo')).toEqual([':program']);
    expect(answered('pit depth -- e')).toEqual([]);
  });

  it.each<[line: string, replaced: string, words: string[]]>([
    ['pit orders --side=s', 's', ['sell']],
    ['pit orders --side=', '', ['buy', 'sell']],
    ['pit stream kline:eos_eth:3d', '3d', ['3day']],
    ['pit stream depth:EO', 'EO', ['eos_eth']],
    ['pit stream "depth:eo', 'depth:eo', ['depth:eos_eth']],
    ['pit depth "eo"s', '"eo"s', ['eos_eth']],
  ])('gives only the part of a word that the shell replaces: %s, %s', (line, replaced, words) =>
    expect(offered(line, replaced)).toEqual(words),
  );

  it('understands words in quotes, also in one that is still open', () => {
    expect(offered('pit "order" show \'eos_eth\' --id "m')).toEqual(['myOwn1']);
    expect(offered("pit depth '")).toEqual(['eos_eth', 'xrp_usdt']);
  });

  it('offers no word that a shell would expand, split or run', () => {
    const hostile = [
      '$(touch x)',
      '`x`',
      'a b',
      'a;b',
      "a'b",
      'a"b',
      '~',
      '*',
      '=x',
      '!x',
      'a\tb',
      'a\\b',
      '\u001b[2J',
      ':x',
    ];
    const names: Names = { ...NAMES, words: () => [...hostile, 'good_usdt'], profiles: () => [...hostile, 'good'] };
    expect(answered('pit depth ', undefined, names)).toEqual(['good_usdt']);
    expect(answered('pit profile use ', undefined, names)).toEqual(['good']);
    // what is harmless in the middle of a word stays
    expect(answered('pit stream depth:', undefined, names)).toEqual(['depth:=x', 'depth::x', 'depth:good_usdt']);
  });

  it('is never broken by a line, whatever is typed', () => {
    for (const line of [
      '',
      ' ',
      'pit',
      'pit ',
      '"',
      'pit \\',
      'pit depth --=',
      'pit --profile',
      'pit -',
      'pit help --',
      '=',
    ])
      expect(() => answered(line), line).not.toThrow();
    expect(offered('pit ')).toEqual(expect.arrayContaining(['ticker', 'order', 'help']));
  });
});

describe('the table of commands', () => {
  const sources = tree.commands.flatMap(({ path: words, arguments: given, flags }) => [
    ...given.map(({ name, completes }) => ({ name: `${words} ${name}`, completes })),
    ...flags
      .filter(({ value }) => value !== null)
      .map(({ long, completes }) => ({ name: `${words} ${long}`, completes })),
  ]);

  it('completes markets, coins, orders and files wherever a command takes one', () => {
    const open = sources.filter(({ completes }) => completes === null).map(({ name }) => name);
    // a separate reader would leave a command without completion
    const named = / (?:MARKET|COIN|ORDER|FILE|--quote|--base|--in|--file|--market|--coin)$/;
    expect(open.filter((name) => named.test(name))).toEqual([]);
    const bySource = new Map(sources.map(({ name, completes }) => [name, completes?.of]));
    expect(bySource.get('cancel ID')).toBe('order');
    expect(bySource.get('resolve CLIENT_ID')).toBe('unresolved');
  });

  it('has no word that a shell would have to quote, since such a word is not offered', () => {
    const words = sources.flatMap(({ completes }) => (completes?.of === 'words' ? completes.words : []));
    expect(words.length).toBeGreaterThan(100);
    expect(words.filter((word) => !/^[A-Za-z0-9][A-Za-z0-9._+-]*[=:]?$/.test(word))).toEqual([]);
  });
});

describe('the names that completion knows', () => {
  const home = temporaryHome();

  function write(file: string, text: string): void {
    mkdirSync(path.dirname(path.join(home, file)), { recursive: true, mode: 0o700 });
    writeFileSync(path.join(home, file), text, { mode: 0o600 });
  }

  write('config/active.json', '{"active":"overseas"}');
  for (const name of ['overseas', 'x;y', 'UPPER']) write(`config/profiles/${name}.json`, '{}');
  write('cache/symbols/overseas/markets', 'eos_eth\n$(touch_me)\nz;x\n\u001b[2J_usdt\nxrp_usdt\n');
  write('cache/symbols/sandbox/markets', 'ltc_qc\n');
  write('cache/symbols/+http___127_0_0_1_4000+/markets', 'dash_btc\n');

  const names = (environment: Record<string, string> = {}, chosen?: string) =>
    knownNames({ environment: plainEnvironment(home, environment), directories: directoriesOf(home) }, chosen);

  it('are those of the profile in use, if neither line nor environment names another', async () => {
    expect((await names()).words('markets', undefined)).toEqual(['eos_eth', 'xrp_usdt']);
    expect((await names({ PIT_PROFILE: 'sandbox' })).words('markets', undefined)).toEqual(['ltc_qc']);
    expect((await names({}, 'sandbox')).words('markets', undefined)).toEqual(['ltc_qc']);
    expect((await names()).words('markets', 'sandbox')).toEqual(['ltc_qc']);
    const hosts = { PIT_TRADE_URL: 'http://127.0.0.1:4000' };
    expect((await names(hosts)).words('markets', undefined)).toEqual(['dash_btc']);
  });

  it('come from no other folder, whatever the line names as a profile', async () => {
    for (const profile of ['../symbols/overseas', 'overseas/.', '', '.', '$HOME'])
      expect((await names()).words('markets', profile), profile).toEqual([]);
  });

  it('are not read from a file that others can write to', async () => {
    const file = path.join(home, 'cache/symbols/sandbox/markets');
    chmodSync(file, 0o666);
    expect((await names()).words('markets', 'sandbox')).toEqual([]);
    chmodSync(file, 0o600);
  });

  it('include the profiles whose files have valid names', async () => {
    expect((await names()).profiles()).toEqual(['sandbox', 'overseas']);
  });

  it('are read by `pit __complete`, which starts, sends and writes nothing', async () => {
    const before = filesOf(home);
    const { code, stdout, stderr } = await runProgram(['__complete', 'pit stream depth:EO', 'EO'], { home });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'eos_eth\n', stderr: '' });
    expect(filesOf(home)).toEqual(before);
  });
});

it('a home in which no command has run yet stays as it is when a shell asks', async () => {
  const home = temporaryHome();
  const line = 'pit depth $(touch EXECUTED) `touch EXECUTED`; touch EXECUTED';
  const redirected = await runProgram(['__complete', line], { home });
  expect(redirected).toEqual({ code: 0, signal: null, stdout: ':file\n', stderr: '' });
  expect((await runProgram(['__complete', 'pit depth '], { home })).stdout).toBe('');
  expect((await runProgram(['__complete', 'pit tick'], { home })).stdout).toMatch(/^ticker\tShow [^\n]+\n$/);
  expect(readdirSync(home)).toEqual([]);
});
