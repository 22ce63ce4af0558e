import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type Definition, GLOBAL_FLAGS, optional, several, toggle } from '../../src/cli/definition.js';
import { rulesByKey, rulesOf, ruleText } from '../../src/cli/flag-rules.js';
import { excludedBy, neededBy, outOfReach, type Rule } from '../../src/cli/rule.js';
import { type Program, run } from '../../src/cli/run.js';
import * as shape from '../../src/cli/shapes.js';
import { commands, PROGRAM } from '../../src/commands/index.js';
import { Failure } from '../../src/errors.js';
import { systemHost } from '../../src/platform/host.js';

const word = (text: string) => text;

const MADE_UP: Definition = {
  summary: 'Draw a line',
  arguments: { shape: optional('what to draw', word), points: several('its points', word) },
  flags: {
    file: { syntax: '--file <path>', description: 'write it here', parse: word, excludes: ['points', '--csv'] },
    force: toggle('--force', 'replace it', { needs: [['--file', '--pipe-name']] }),
    pipe: { syntax: '--pipe-name <a-b>', description: 'write it there (default: nowhere)', parse: word },
    wide: toggle('--wide', 'draw it wide', { needs: ['--file', '--force'] }),
    ink: { syntax: '--ink <colour>', description: 'of the line', parse: word, required: true },
  },
  excludes: ['--yes'],
  needs: ['shape'],
  oneOf: ['points', '--file', '--pipe-name'],
  examples: ['draw line 1 2 --ink red'],
  output: shape.anything,
  run: async () => undefined,
};

const host = { ...systemHost(), environment: {} };

const started = new Error('The command would start now.');

/** Why a line of the command is refused; undefined if it would run. */
async function refusal(line: string, table: Program['commands'] = { draw: async () => ({ default: MADE_UP }) }) {
  const streams = { output: new PassThrough().resume(), errors: new PassThrough().resume() };
  const program = { ...PROGRAM, commands: table, correct: async () => undefined };
  try {
    await run(
      { ...host, ...streams, arguments: line.split(' ') },
      { ...program, createContext: () => Promise.reject(started) },
    );
  } catch (thrown) {
    if (thrown === started) return undefined;
    if (thrown instanceof Failure) return { kind: thrown.kind, message: thrown.message, hints: thrown.hints };
    throw thrown;
  }
  return undefined;
}

describe('a command line that breaks a rule of its command', () => {
  it.each<[string, string, string]>([
    ['line 1 --file a', 'POINT and --file exclude each other.', 'Give one of them.'],
    ['line --file a --csv', '--file and --csv exclude each other.', 'Give one of them.'],
    ['line --csv --file a', '--file and --csv exclude each other.', 'Give one of them.'],
    ['line --pipe-name a --file b', '--file and --pipe-name exclude each other.', 'Give one of them.'],
    ['line 1 --json --csv', '--json and --csv exclude each other.', 'Give one of them.'],
    ['line 1 --yes', 'pit draw does not take --yes.', 'Leave --yes out.'],
    ['line 1 --force', '--force needs --file or --pipe-name.', 'Add --file PATH or --pipe-name A_B.'],
    ['line --wide --file a', '--wide needs --force.', 'Add --force: replace it.'],
    ['line 1', 'pit draw needs --ink.', 'Add --ink COLOUR: of the line.'],
    ['line', 'pit draw needs --ink.', 'Add --ink COLOUR: of the line.'],
    ['line --ink red', 'pit draw needs POINT, --file or --pipe-name.', 'Add POINT, --file PATH or --pipe-name A_B.'],
    ['--file a --ink red', 'pit draw needs SHAPE.', 'Add SHAPE: what to draw.'],
  ])('is refused before the command begins: %s', async (rest, message, hint) => {
    const help = { argv: ['draw', '--help'], note: 'See its usage' };
    const hints = message.startsWith('pit draw needs') ? [hint, help] : [hint];
    expect(await refusal(`draw ${rest}`)).toEqual({ kind: 'usage', message, hints });
  });

  it.each([
    'line 1 2 --ink red',
    'line --ink red --file a --force --wide --json',
    'line --ink red --pipe-name a --force --csv',
  ])('is not one that has all that it needs: %s', async (rest) =>
    expect(await refusal(`draw ${rest}`)).toBeUndefined(),
  );
});

it('rules are in the help of a command, with its flags, arguments and the flags of all commands', async () => {
  const output = new PassThrough().setEncoding('utf8');
  await run(
    { ...host, output, arguments: ['draw', '--help'] },
    { ...PROGRAM, commands: { draw: async () => ({ default: MADE_UP }) } },
  );
  const help = String(output.read()).replaceAll(/\s+/g, ' ');
  expect(help).toContain('its points (this, --file or --pipe-name is required; not with --file or --pipe-name)');
  expect(help).toContain(
    'write it there (default: nowhere; this, POINT or --file is required; not with POINT or --file)',
  );
  expect(help).toContain('draw it wide (needs --file; needs --force)');
  expect(help).toContain('of the line (required)');
  expect(help).toContain('print comma-separated values (not with --file or --json)');
  expect(help).not.toContain('--yes');
});

const RULES: readonly Rule[] = [
  { excludes: ['--a', '--b'] },
  { of: '--c', needs: ['--d', '--e'] },
  { of: 'pit draw', needs: ['--f'] },
];

it('what is given excludes others in both directions, and needs others until one of them is given', () => {
  expect([...excludedBy(new Set(['--a', '--c']), RULES)]).toEqual(['--b']);
  expect([...excludedBy(new Set(['--b']), RULES)]).toEqual(['--a']);
  expect([...neededBy(new Set(['pit draw', '--c']), RULES)]).toEqual(['--d', '--e', '--f']);
  expect([...neededBy(new Set(['pit draw', '--c', '--e', '--f']), RULES)]).toEqual([]);
});

it('what needs only what is excluded is out of reach, unless one of that is given or may still be', () => {
  const reached = (...given: string[]) => [
    ...outOfReach(new Set(given), [
      { excludes: ['--a', '--d'] },
      { excludes: ['--a', '--e'] },
      { excludes: ['--b', '--d'] },
      { of: '--c', needs: ['--d', '--e'] },
    ]),
  ];
  expect(reached('--a')).toEqual(['--d', '--e', '--c']);
  expect(reached('--b')).toEqual(['--d']);
  expect(reached('--a', '--e')).toEqual(['--d', '--e', '--a']);
  expect(reached()).toEqual([]);
});

it('the rules of the inputs that a program takes are those of flags and arguments, by the names of the inputs', () => {
  const { arguments: args, flags } = MADE_UP;
  const rules = (...keys: string[]) => rulesByKey({ ...(args && { arguments: args }), ...(flags && { flags }) }, keys);
  expect(rules('points', 'file', 'pipe', 'force', 'wide')).toEqual([
    { excludes: ['file', 'points'] },
    { of: 'force', needs: ['file', 'pipe'] },
    { of: 'wide', needs: ['file'] },
    { of: 'wide', needs: ['force'] },
  ]);
  // a rule that another input could fulfil does not hold for these
  expect(rules('file', 'force')).toEqual([]);
  expect(rules('points', 'pipe')).toEqual([]);
});

/** Each flag and argument of pit takes one of these words. */
const WORDS = [
  ...['1', 'btc_usdt', 'btc', '1h', 'buy', 'spot', '100usdt', '50%', 'last>1', 'fill', 'zone', 'bash', 'a4k7x2q'],
  ...['pit0123456789abcdef01234567', 'mine0001', 'depth:btc_usdt', '1:2:3', 'fifo', 'in', 'coin', 'UTC', '+08:00'],
  ...[
    'file',
    'filled',
    'ask',
    'first',
    'strict',
    'equal',
    'done',
    'key=1',
    'asset',
    'codex',
    'twice',
    '80ms',
    'book',
    'unattended',
    'csv',
    'min',
    'x=1',
  ],
  ...['1min', 'systemd', 'depth', 'claude-code', 'maker=0.02%', 'btc=1', 'worst', 'baseUrl', 'change', 'all'],
  ...[
    'market',
    'a.csv',
    '5',
    'price-band',
    'random',
    '200',
    'order',
    '2026-11-01',
    'documented',
    'observed',
    'isolated',
  ],
];

/** The word that each parser takes: most have to refuse many before, and each is asked in hundreds of lines. */
const taken = new Map<(text: string) => unknown, string>();

function wordFor(parse: (text: string) => unknown, name: string): string {
  const known = taken.get(parse);
  if (known !== undefined) return known;
  const found = WORDS.find((text) => {
    try {
      parse(text);
      return true;
    } catch {
      return false;
    }
  });
  if (found === undefined) throw new Error(`WORDS has none that ${name} takes.`);
  taken.set(parse, found);
  return found;
}

const definitions = await Promise.all(
  Object.entries(commands).map(async ([path, load]) => ({ path, definition: (await load()).default })),
);

const shown = ({ arguments: args = {} }: Definition, key: string) =>
  key.startsWith('--') || args[key] === undefined
    ? key
    : (args[key].presence === 'several' ? key.replace(/s$/, '') : key).replace(/[A-Z]/g, '_$&').toUpperCase();

/** What a line with these parts would be refused for, read from the descriptions themselves. */
function broken(path: string, definition: Definition, given: readonly string[]): string[] {
  const { flags = {}, excludes: untaken = [], needs = [], oneOf = [] } = definition;
  const described = [...Object.values(flags), ...GLOBAL_FLAGS].map((flag) => ({
    name: `--${/--([a-z-]+)/.exec(flag.syntax)?.[1]}`,
    flag,
  }));
  const list = (names: readonly string[]) =>
    names
      .map((one) => shown(definition, one))
      .join(', ')
      .replace(/, ([^,]*)$/, ' or $1');
  const both = (one: string, other: string) =>
    `${shown(definition, one)} and ${shown(definition, other)} exclude each other.`;
  const missing = (groups: readonly (string | readonly string[])[], of: string) =>
    groups
      .map((group) => [group].flat())
      .flatMap((group) => (group.some((one) => given.includes(one)) ? [] : [`${of} needs ${list(group)}.`]));
  const present = described.filter(({ name }) => given.includes(name));
  return [
    ...untaken.filter((one) => given.includes(one)).map((one) => `pit ${path} does not take ${one}.`),
    ...present.flatMap(({ name, flag }) =>
      (flag.excludes ?? []).filter((one) => given.includes(one)).map((one) => both(name, one)),
    ),
    ...oneOf.flatMap((one, index) =>
      oneOf
        .slice(index + 1)
        .flatMap((other) => (given.includes(one) && given.includes(other) ? [both(one, other)] : [])),
    ),
    ...present.flatMap(({ name, flag }) => missing(flag.needs ?? [], name)),
    ...missing(
      described.flatMap(({ name, flag }) => (flag.required ? [name] : [])),
      `pit ${path}`,
    ),
    ...missing([...needs, ...(oneOf.length === 0 ? [] : [oneOf])], `pit ${path}`),
  ];
}

describe('the rules of pit', () => {
  it('are more than sixty', () => {
    const all = definitions.flatMap(({ path, definition }) => rulesOf(path, definition).map(ruleText));
    expect(new Set(all).size).toBeGreaterThan(60);
  });

  it.each(definitions)('name flags and arguments that exist, and no rule twice: pit $path', ({ path, definition }) => {
    const { arguments: args = {}, flags = {} } = definition;
    const names = new Set([
      `pit ${path}`,
      ...Object.keys(args).map((key) => shown(definition, key)),
      ...[...Object.values(flags), ...GLOBAL_FLAGS].map(({ syntax }) => `--${/--([a-z-]+)/.exec(syntax)?.[1]}`),
    ]);
    const rules = rulesOf(path, definition);
    const unknown = rules
      .flatMap((rule) => ('excludes' in rule ? rule.excludes : [rule.of, ...rule.needs]))
      .filter((name) => !names.has(name));
    expect(unknown).toEqual([]);
    const texts = rules.map((rule) => ('excludes' in rule ? [...rule.excludes].sort().join(' × ') : ruleText(rule)));
    expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([]);
  });

  it.each(definitions)(
    'hold for each two flags or arguments of a line, and for no other two: pit $path',
    async ({ path, definition }) => {
      const { arguments: args = {}, flags = {} } = definition;
      const positions = Object.entries(args).filter(([, { parse }]) => parse.completes?.of !== 'program');
      const least = positions.filter(([, { presence }]) => presence === 'required').length;
      const options = [
        ...Object.values(flags),
        ...GLOBAL_FLAGS.filter(({ syntax }) => /json|csv|fields|yes|dry-run/.test(syntax)),
      ];
      const parts = [
        ...positions
          .slice(least)
          .map(([key], index) => ({ names: positions.slice(0, least + index + 1).map(([one]) => one), key })),
        ...options.map((flag) => ({ flag })),
      ];
      const wrong: unknown[] = [];
      for (const [index, one] of parts.entries())
        for (const other of parts.slice(index)) {
          const both = [one, other];
          const count = Math.max(least, ...both.map((part) => ('names' in part ? part.names.length : 0)));
          const given = positions.slice(0, count);
          const used = both.flatMap((part) => ('flag' in part ? [part.flag] : []));
          const words = [
            path,
            ...[...new Set(used)].flatMap(({ syntax, parse }) => {
              const name = syntax.split(' ')[0] ?? '';
              return parse === undefined
                ? [name]
                : [`${name}=${name === '--fields' ? 'market' : wordFor(parse, name)}`];
            }),
            ...given.map(([key, { parse }]) => wordFor(parse, `${path} ${key}`)),
          ];
          const { row: _, ...others } = definition;
          const stub: Definition = { ...others, output: shape.object({ market: shape.text('') }) };
          const found = await refusal(words.join(' '), { [path]: async () => ({ default: stub }) });
          const expected = broken(path, definition, [
            ...given.map(([key]) => key),
            ...used.map(({ syntax }) => syntax.split(' ')[0] ?? ''),
          ]);
          if (expected.length === 0 ? found !== undefined : !expected.includes(found?.message ?? ''))
            wrong.push({ words: words.join(' '), found, expected });
        }
      expect(wrong).toEqual([]);
    },
  );
});
