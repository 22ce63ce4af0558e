import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { answer } from '../../src/commands/completion/answer.js';
import { builtTree } from '../../src/commands/completion/built-tree.js';
import { knownNames } from '../../src/commands/completion/known-names.js';
import { directoriesOf } from '../../src/platform/files/directories.js';
import { ALERT_FIELDS } from '../../src/trading/alerts/fields.js';
import { ROOT } from '../architecture/sources.js';
import { BUILT } from '../support/command.js';
import { plainEnvironment, temporaryHome } from '../support/pit.js';
import { requires, requiresFile } from '../support/tools.js';
import { type Answered, ask, onlyPit, replying, type Shell } from './shells.js';

const URL = 'http://127.0.0.1:4000';

/** The text typed before TAB, and the line after it. */
const COMPLETED: readonly (readonly [typed: string, line: string])[] = [
  // commands
  ['pit order sh', 'pit order show '],
  ['pit order bu', 'pit order buy '],
  ['pit sandbox fault a', 'pit sandbox fault add '],
  ['pit help order re', 'pit help order replace '],
  ['FOO=1 pit kl', 'FOO=1 pit kline '],
  // flags, also before the command; one already used is not offered again
  ['pit depth --size 5 --si', 'pit depth --size 5 --si'],
  ['pit depth --size=5 --si', 'pit depth --size=5 --si'],
  ['pit --verb', 'pit --verbose '],
  ['pit --timeout 5 --json dep', 'pit --timeout 5 --json dep'],
  ['pit --timeout 5 --json dept', 'pit --timeout 5 --json depth '],
  ['pit order buy eos_eth 1 --override post-only --overr', 'pit order buy eos_eth 1 --override post-only --override '],
  // values
  ['pit orders --side s', 'pit orders --side sell '],
  ['pit kline eos_eth --type 3m', 'pit kline eos_eth --type 3min '],
  ['pit order --override day-notional,pr', 'pit order --override day-notional,price-band '],
  ['pit profile set overseas zo', 'pit profile set overseas zone '],
  ['pit order buy eos_eth 1 --at mi', 'pit order buy eos_eth 1 --at mid'],
  ['pit order buy eos_eth 1 --at=bid-1t', 'pit order buy eos_eth 1 --at=bid-1tick '],
  ['pit order replace eos_eth 1 --at ask-', 'pit order replace eos_eth 1 --at ask-1tick '],
  ['pit markets --fields tickS', 'pit markets --fields tickSize '],
  ['pit markets --fields=market,lot', 'pit markets --fields=market,lotSize '],
  ['pit account --fields permissions.as', 'pit account --fields permissions.asset '],
  ['pit schema tick', 'pit schema ticker '],
  ['pit schema order sho', 'pit schema order show '],
  ['pit api allT', 'pit api allTicker '],
  ['pit api depth mar', 'pit api depth market='],
  ['pit api depth market=eos_eth si', 'pit api depth market=eos_eth size='],
  ['pit api somethingElse mar', 'pit api somethingElse mar'],
  // profiles
  ['pit --profile ov', 'pit --profile overseas '],
  ['pit profile use ov', 'pit profile use overseas '],
  // markets and coins of the chosen profile
  ['pit depth eo', 'pit depth eos_eth '],
  ['pit order buy eo', 'pit order buy eos_eth '],
  ['pit depth --merge -5 eo', 'pit depth --merge -5 eos_eth '],
  ['pit ticker eos_eth xr', 'pit ticker eos_eth xrp_usdt '],
  ['pit balance --in xr', 'pit balance --in xrp '],
  ['pit markets --base=xr', 'pit markets --base=xrp '],
  ['pit --profile sandbox depth l', 'pit --profile sandbox depth ltc_qc '],
  ['pit depth --profile=sandbox l', 'pit depth --profile=sandbox ltc_qc '],
  // channels: a kind, its market, the type of its candles
  ['pit stream tick', 'pit stream ticker:'],
  ['pit stream cro', 'pit stream cross-balances '],
  ['pit stream depth:EO', 'pit stream depth:eos_eth '],
  ['pit stream balances trades:x', 'pit stream balances trades:xrp_usdt '],
  ['pit stream kline:eo', 'pit stream kline:eos_eth:'],
  ['pit stream kline:eos_eth:3d', 'pit stream kline:eos_eth:3day '],
  ['pit stream balances:e', 'pit stream balances:e'],
  // conditions, of which a shell would take > for itself
  ['pit alert eos_eth la', 'pit alert eos_eth last '],
  ["pit alert eos_eth 'spr", "pit alert eos_eth 'spread' "],
  ['pit alert eos_eth last fill:', 'pit alert eos_eth last fill:'],
  // orders of the market on the line
  ['pit cancel eos_eth 202611213892190900 1026', 'pit cancel eos_eth 202611213892190900 1026'],
  ['pit order show XRP_USDT ', 'pit order show XRP_USDT 102611213892190900 '],
  ['pit cancel xrp_usdt --id m', 'pit cancel xrp_usdt --id myOwn1 '],
  ['pit order replace --id=m', 'pit order replace --id=myOwn1 '],
  ['pit resolve l', 'pit resolve lost0001 '],
  // algo orders that have not ended
  ['pit algo show a4', 'pit algo show a4k7x2q '],
  ['pit algo cancel b7', 'pit algo cancel b7'],
  // command lines and files of other programs
  ['pit cancel-after eos_eth --hold ', 'pit cancel-after eos_eth --hold -- '],
  // inside quotes, which the shell closes
  ['pit depth "eo', 'pit depth "eos_eth" '],
  ["pit depth 'eo", "pit depth 'eos_eth' "],
  ['pit stream "depth:eo', 'pit stream "depth:eos_eth" '],
  ['pit orders --side "s', 'pit orders --side "sell" '],
  ['pit "order" sh', 'pit "order" show '],
  ['pit balance "x', 'pit balance "xrp" '],
  // what the line would run is not run
  ['pit depth $(touch RAN) --me', 'pit depth $(touch RAN) --merge '],
  // the file of the shell's own redirection
  ['pit depth eos_eth > some-ex', 'pit depth eos_eth > some-export.json '],
  ['pit order batch --file=some-ex', 'pit order batch --file=some-export.json '],
  // hostile names: only valid ones are offered
  ['pit --profile hostile depth z', 'pit --profile hostile depth zec_usdt '],
  ['pit --profile hostile balance ', 'pit --profile hostile balance zec '],
  ['pit --profile hostile stream depth:', 'pit --profile hostile stream depth:zec_usdt '],
  ['pit --profile hostile cancel zec_usdt ', 'pit --profile hostile cancel zec_usdt 7 '],
  ['pit --profile hostile cancel zec_usdt --id ', 'pit --profile hostile cancel zec_usdt --id good1 '],
  ['pit --profile hostile resolve ', 'pit --profile hostile resolve good1 '],
  ['pit --profile ../symbols/overseas depth eo', 'pit --profile ../symbols/overseas depth eo'],
  // the program itself answers from here on, with each kind of answer
  ['export PATH=$INSTALLED\npit mar', 'pit markets '],
  ['pit depth --me', 'pit depth --merge '],
  ['pit orders --side=s', 'pit orders --side=sell '],
  ['pit depth EO', 'pit depth eos_eth '],
  ['pit stream depth:eo', 'pit stream depth:eos_eth '],
  ['pit cancel eos_eth ', 'pit cancel eos_eth 202611213892190900 '],
  ['pit cancel-after eos_eth --hold -- conti', 'pit cancel-after eos_eth --hold -- continue '],
  ['pit sandbox import some-ex', 'pit sandbox import some-export.json '],
  ['pit order buy eos_eth ', 'pit order buy eos_eth '],
  ['pit depth "$(touch RAN)" --me', 'pit depth "$(touch RAN)" --merge '],
  ['pit --profile hostile depth ', 'pit --profile hostile depth zec_usdt '],
  // hosts from the environment, from here on
  [`export PIT_TRADE_URL=${URL}\npit depth d`, 'pit depth dash_btc '],
  // the platform's own folders
  ['export PIT_HOME= PIT_TRADE_URL=\npit depth n', 'pit depth neo_usdt '],
  ['export PIT_PROFILE=other\npit depth w', 'pit depth waves_btc '],
];

const CACHE = process.platform === 'darwin' ? 'Library/Caches/pit' : '.cache/pit';

const LISTED = [
  { typed: 'pit depo', words: [] },
  { typed: 'pit account --', words: ['--json', '--csv', '--profile', '--dry-run', '--help'] },
  { typed: 'pit order ', words: ['show', 'replace', 'batch', 'buy', 'sell'] },
  {
    typed: 'pit alert eos_eth ',
    words: [...Object.keys(ALERT_FIELDS), 'trail', 'fill'],
  },
  { typed: 'pit orders --state ', words: ['open', 'filled', 'cancelled', 'all'] },
  { typed: 'pit cancel ', words: ['eos_eth', 'xrp_usdt'] },
  { typed: 'pit cancel bch_usdt ', words: ['112611213892190900', '92611213892190900', '92611213892190899'] },
];

/** What is shown beside the ids of orders, newest first; the last one was noted without it. */
const DESCRIBED = [
  [
    'pit cancel bch_usdt ',
    /112611213892190900.*sell 1\.5 at 1,310\.00.*92611213892190900.*buy 2 at 300\.00.*92611213892190899/s,
  ],
  ['pit order show bch_usdt --id ', /own12.*sell 1\.5 at 1,310\.00.*own9.*buy 2 at 300\.00/s],
] as const;

/** Names that a hostile exchange, or anyone who can write to the folder, might use. */
function hostile(mark: string, good: string): string {
  const bad = [
    `$(touch ${mark})`,
    `\`touch ${mark}\``,
    `x;touch ${mark}`,
    `'"\`${mark}`,
    `\${IFS}touch`,
    '*',
    '~',
    '-rf',
  ];
  const odd = ['zq usdt', '\u001b[31mzred_usdt', 'z\\x', 'zé_usdt', '../../zup', `za[$(touch ${mark})]`, 'z_'];
  return `${[...bad, ...odd, good, ...bad.map((one) => `${good} ${one}`)].join('\n')}\n`;
}

const ORDERS = `eos_eth 202611213892190900 - buy 0.5 at 0.01234
bch_usdt 112611213892190900 own12 sell 1.5 at 1,310.00
xrp_usdt 102611213892190900 myOwn1
bch_usdt 92611213892190900 own9 buy 2 at 300.00
bch_usdt 92611213892190899 -
`;

/** A user's home with the files that pit would have written. */
function prepare(folder: string): void {
  const write = (file: string, text: string) => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true, mode: 0o700 });
    writeFileSync(path.join(folder, file), text, { mode: 0o600 });
  };
  const symbols = 'home/cache/symbols';
  const mark = path.join(folder, 'EXECUTED');
  write('home/config/active.json', '{\n\t"active": "overseas"\n}');
  for (const name of ['overseas', 'x;y', 'UPPER']) write(`home/config/profiles/${name}.json`, '{}');
  write(`${symbols}/overseas/markets`, 'eos_eth\nxrp_usdt\n');
  write(`${symbols}/overseas/coins`, 'eos\neth\nusdt\nxrp\n');
  write(`${symbols}/overseas/orders`, ORDERS);
  write(`${symbols}/overseas/unresolved`, 'lost0001\n');
  write(`${symbols}/sandbox/markets`, 'ltc_qc\n');
  write('home/state/algos/overseas/open/a4k7x2q', '');
  write('home/state/algos/overseas/open/.a4k7x2q.status', '');
  write('home/state/algos/overseas/ended/1648461600000~b7k7x2q', '');
  write(`${symbols}/+http___127_0_0_1_4000+/markets`, 'dash_btc\n');
  write(`${symbols}/hostile/markets`, hostile(mark, 'zec_usdt'));
  write(`${symbols}/hostile/coins`, hostile(mark, 'zec').replaceAll('z_\n', '').replaceAll('zé_usdt\n', ''));
  write(
    `${symbols}/hostile/orders`,
    `${hostile(mark, 'zec_usdt x y')}zec_usdt 7 good1\nzec_usdt $(touch ${mark}) ;\nzec_usdt 8 good8 buy $(touch ${mark}) at 1\n`,
  );
  write(`${symbols}/hostile/unresolved`, hostile(mark, 'good1').replaceAll('z_\n', ''));
  write(`${CACHE}/symbols/sandbox/markets`, 'neo_usdt\n');
  write(`${CACHE}/symbols/other/markets`, 'waves_btc\n');
  write('some-export.json', '{}');
  // bash-completion loads it from here
  write('.local/share/bash-completion/completions/pit', readFileSync(path.join(ROOT, 'completions/pit.bash'), 'utf8'));
}

const AVAILABLE = {
  bash: () => requires('bash'),
  'bash-completion': () => requiresFile('bash-completion', '/usr/share/bash-completion/bash_completion'),
  zsh: () => requires('zsh'),
  fish: () => requires('fish'),
} as const satisfies Partial<Record<Shell, () => boolean>>;

/** What `pit __complete` prints in the home of {@link prepare}. */
async function completion(folder: string, [command, ...words]: readonly string[]): Promise<string> {
  if (command !== '__complete') throw new Error(`A shell ran pit ${command}`);
  const home = path.join(folder, 'home');
  const tree = builtTree({ self: { command: process.execPath, arguments: [BUILT] } });
  const names = await knownNames({ environment: plainEnvironment(home), directories: directoriesOf(home) });
  return answer(words, tree, names);
}

describe.each(Object.keys(AVAILABLE) as (keyof typeof AVAILABLE)[])('completion in %s', (shell) => {
  describe.skipIf(!requires('python3') || !requires('bash') || !AVAILABLE[shell]())('on TAB', () => {
    const folder = temporaryHome();
    const answers = new Map<string, Answered>();

    beforeAll(async () => {
      prepare(folder);
      const described = DESCRIBED.map(([text]) => text);
      const typed = [...new Set([...LISTED.map((one) => one.typed), ...described, ...COMPLETED.map(([text]) => text)])];
      const { script, stop } = await replying(folder, (words) => completion(folder, words));
      const programs = onlyPit(folder, script);
      const before = shell === 'fish' ? `set -gx PATH ${programs}` : `PATH=${programs}`;
      const environment = { INSTALLED: onlyPit(path.join(folder, 'installed')) };
      const found = await ask(shell, { folder, before: `${before}\ncd ${folder}`, environment }, typed);
      stop();
      for (const [index, text] of typed.entries()) answers.set(text, found[index] ?? { line: '', listed: '' });
    });

    it('completes every line of the table', () => {
      const lines = COMPLETED.map(([typed]) => [typed, answers.get(typed)?.line.trim()]);
      expect(lines).toEqual(COMPLETED.map(([typed, line]) => [typed, line.trim()]));
    });

    it.each(LISTED)('lists what may follow "$typed"', ({ typed, words }) => {
      const { listed = '' } = answers.get(typed) ?? {};
      expect(words.filter((word) => !listed.includes(word))).toEqual([]);
    });

    it.each(DESCRIBED)('says what the orders after "%s" are', (typed, shown) => {
      expect(answers.get(typed)?.listed).toMatch(shown);
    });

    it('starts no program but pit and executes nothing that it reads', () => {
      const shown = [...answers.values()].map(({ line, listed }) => line + listed).join('');
      expect(shown).not.toMatch(/EXECUTED|zred|zup|command not found|Unknown command:|UPPER/);
      for (const mark of ['EXECUTED', 'RAN']) expect(existsSync(path.join(folder, mark))).toBe(false);
    });
  });
});

/** What no exchange may do to a shell, as if pit itself answered it. */
const HOSTILE = [
  ...[
    '$(touch EXECUTED)',
    '`touch EXECUTED`',
    'x;touch EXECUTED',
    '| touch EXECUTED',
    '<(touch EXECUTED)',
    '*',
    '~root',
  ],
  ...['\'"`touch EXECUTED`', '$(($(touch EXECUTED)))', '=touch', '\\$(touch EXECUTED)', '$EVIL', '{a,b}', '!!'],
];

describe.each(Object.keys(AVAILABLE) as (keyof typeof AVAILABLE)[])('a hostile answer in %s', (shell) => {
  const folder = temporaryHome();

  it.skipIf(!requires('python3') || !AVAILABLE[shell]())('is only text, even if the line is run', async () => {
    prepare(folder);
    // after w0 comes the first hostile word alone, and so on; after anything else come all of them
    const described = HOSTILE.map((word) => `${word}\t${word}`);
    const alone = described.map((word, index) => `*' w${index} ') cat <<'END'\n${word}\nEND\n;;`);
    const all = `*) cat <<'END'\n${described.join('\n')}\nEND\n;;`;
    const answering = `case $2 in ${[...alone, all].join('\n')} esac`;
    const programs = onlyPit(folder, `[ "$1" = __complete ] || exit 0\n${answering}`);
    // Enter runs what Tab has made of the line
    const typed = ['pit ', 'pit "', ...HOSTILE.map((_, index) => `pit w${index} \t\n: `)];
    const before = shell === 'fish' ? `set -gx PATH ${programs} $PATH` : `PATH=${programs}:$PATH`;
    const lines = await ask(shell, { folder, before: `${before}\ncd ${folder}` }, typed);
    expect(lines).toHaveLength(typed.length);
    expect(existsSync(path.join(folder, 'EXECUTED'))).toBe(false);
  });
});

describe.each(Object.keys(AVAILABLE) as (keyof typeof AVAILABLE)[])('without pit in PATH, %s', (shell) => {
  it.skipIf(!requires('python3') || !AVAILABLE[shell]())('completes nothing and says nothing', async () => {
    const folder = temporaryHome();
    prepare(folder);
    const before = `${shell === 'fish' ? 'set -gx PATH' : 'PATH='}\ncd ${folder}`;
    const [answered] = await ask(shell, { folder, before }, ['pit depth eo']);
    expect(answered?.line).toBe('pit depth eo');
    expect(answered?.listed).not.toMatch(/not found|Unknown command/);
  });
});

describe.skipIf(!requires('python3') || !requires('zsh'))('the script in a zsh that has not run compinit', () => {
  it('prepares completion by itself when it is sourced', async () => {
    const folder = temporaryHome();
    prepare(folder);
    const before = `PATH=${onlyPit(folder)}`;
    const [answered] = await ask('zsh-without-compinit', { folder, before }, ['pit depth eo']);
    expect(answered?.line).toBe('pit depth eos_eth ');
  });
});

describe.skipIf(!requires('python3') || !requires('bash'))('a file with a hostile name in bash', () => {
  const folder = temporaryHome();
  // how readline quotes names that begin with ~ is not tested
  const name = 'evil $(touch EXECUTED);`x` \'"';
  const quoted = String.raw`evil\ \$\(touch\ EXECUTED\)\;\`x\`\ \'\"`;

  it.each([
    ['with compopt', ''],
    ['without compopt, as before bash 4', 'enable -n compopt'],
  ])('quotes the name %s', async (_, before) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, name), '{}');
    const starts = ['pit sandbox import ', 'pit cancel-after eos_eth --hold -- true '];
    const typed = starts.map((start) => `${start}ev`);
    const lines = await ask('bash', { folder, before: `PATH=${onlyPit(folder)}\ncd ${folder}\n${before}` }, typed);
    expect(lines.map(({ line }) => line.trim())).toEqual(starts.map((start) => start + quoted));
    expect(lines.map(({ listed }) => listed).join('')).not.toMatch(/command not found|not a shell builtin/);
  });
});
