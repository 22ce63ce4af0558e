import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { run } from '../../src/cli/run.js';
import { commands, PROGRAM } from '../../src/commands/index.js';
import { groups, synonyms } from '../../src/commands/reference/command-words.js';
import { scan } from '../../src/commands/shell/line.js';
import { FAILURES } from '../../src/errors.js';
import { systemHost } from '../../src/platform/host.js';

const definitions = await Promise.all(
  Object.entries(commands).map(async ([words, load]) => ({ words, definition: (await load()).default })),
);

/** The program, with the definitions that the tests replace the work of. */
const program = {
  ...PROGRAM,
  commands: Object.fromEntries(
    definitions.map(({ words, definition }) => [words, () => Promise.resolve({ default: definition })]),
  ),
};

/** Records the command that ran and its input, instead of running it. */
async function ran(example: string): Promise<{ words: string; input: unknown }[]> {
  const seen: { words: string; input: unknown }[] = [];
  const spies = definitions.map(({ words, definition }) =>
    vi.spyOn(definition, 'run').mockImplementation(async (_context, input) => {
      seen.push({ words, input });
      return undefined;
    }),
  );
  try {
    const streams = { output: new PassThrough(), errors: new PassThrough() };
    await run({ ...host, ...streams, arguments: split(example) }, program);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return seen;
}

const host = { ...systemHost(), environment: {} };

/** As a shell would split it; a redirection is the shell's own. */
function split(example: string): string[] {
  return scan(example).words.map(({ text }) => text);
}

describe('the commands', () => {
  it('every word that only groups others has a summary', () => {
    const parents = Object.keys(commands).flatMap((words) => {
      const names = words.split(' ');
      return names.slice(1).map((_name, index) => names.slice(0, index + 1).join(' '));
    });
    const untold = new Set(parents.filter((name) => !Object.hasOwn(commands, name)));
    expect([...untold].sort()).toEqual(Object.keys(groups).sort());
  });

  it('no synonym hides a command or a word that groups commands', () => {
    const names = [...Object.keys(commands), ...Object.keys(groups)];
    expect(Object.keys(synonyms).filter((typed) => names.includes(typed))).toEqual([]);
  });

  it('each synonym stands for a command or a flag of pit', () => {
    const lost = Object.entries(synonyms).filter(([, meant]) => {
      const [first = '', second] = meant;
      const isKnown = Object.hasOwn(commands, first) || Object.hasOwn(commands, `${first} ${second}`);
      return !isKnown && !first.startsWith('--');
    });
    expect(lost).toEqual([]);
  });

  it.each(definitions)('pit $words has a short summary, two examples and a described output', ({ definition }) => {
    expect(definition.summary).toMatch(/^[A-Z][^\n]{3,90}[^.\s]$/);
    expect(definition.summary.split(' ').length, 'A summary has at most ten words.').toBeLessThanOrEqual(10);
    expect(definition.examples.length).toBeGreaterThan(1);
    expect(definition.output, 'A command describes in `output` what its --json prints.').toBeDefined();
    const changes = /\bdryRun\b|\bdryChange\b/.test(String(definition.run));
    expect(
      { changes, dryRunOutput: definition.dryRunOutput !== undefined },
      'What --dry-run prints is in `dryRunOutput`.',
    ).toMatchObject(changes ? { dryRunOutput: true } : {});
    const described = [...Object.values(definition.arguments ?? {}), ...Object.values(definition.flags ?? {})];
    expect(described.filter(({ description }) => description.trim() === '')).toEqual([]);
  });

  it.each(definitions.flatMap(({ words, definition }) => definition.examples.map((example) => ({ words, example }))))(
    'the example "pit $example" runs $words',
    async ({ words, example }) => {
      const seen = await ran(example);
      expect(seen.map((one) => one.words)).toEqual([words]);
    },
  );

  it('rejects an example with an unknown flag or command', async () => {
    await expect(ran('depth btc_usdt --sizes 20')).rejects.toMatchObject({ kind: 'usage' });
    await expect(ran('depths btc_usdt')).rejects.toMatchObject({ kind: 'usage' });
  });

  it('passes false for a switch that is absent, and true for a --no- switch that is absent', async () => {
    const [order] = await ran('order buy btc_usdt 1 --at 5 --ioc');
    expect(order?.input).toMatchObject({ ioc: true, postOnly: false, borrow: false, id: undefined });
    expect((await ran('sandbox serve'))[0]?.input).toMatchObject({ limits: true, port: undefined });
    expect((await ran('sandbox serve --no-limits'))[0]?.input).toMatchObject({ limits: false });
  });

  it.each(['--profile sandbox depth btc_usdt', '--profile=orders depth btc_usdt', '--timeout 5 --json depth btc_usdt'])(
    "never takes a global flag's value for a command: %s",
    async (line) => {
      expect((await ran(line)).map(({ words }) => words)).toEqual(['depth']);
    },
  );
});

it('each kind of failure has the exit code of the contract', () => {
  expect(Object.fromEntries(Object.entries(FAILURES).map(([kind, { exitCode }]) => [kind, exitCode]))).toEqual({
    internal: 1,
    usage: 2,
    refused: 3,
    credentials: 4,
    unreachable: 5,
    unknown: 6,
    limited: 7,
    declined: 8,
    partial: 9,
    overdue: 10,
  });
});

describe('the root of src/commands', () => {
  it('holds the table of commands and commands of one file, nothing else', () => {
    const folder = path.join(import.meta.dirname, '../../src/commands');
    const table = readFileSync(path.join(folder, 'index.ts'), 'utf8');
    const loaded = [...table.matchAll(/import\('\.\/([\w-]+)\.js'\)/g)].map(([, name]) => `${name}.ts`);
    const files = readdirSync(folder).filter((name) => name.endsWith('.ts') && name !== 'index.ts');
    expect(files.filter((name) => !loaded.includes(name))).toEqual([]);
  });
});
