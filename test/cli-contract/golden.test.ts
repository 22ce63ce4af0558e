import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { rowFields } from '../../src/cli/row-fields.js';
import { commands } from '../../src/commands/index.js';
import { UNLIMITED } from '../../src/sandbox/server/limits.js';
import { useWorld } from '../commands/pit-home.js';
import { expectJsonLines } from '../support/json-lines.js';
import { runPit, serveSandbox, temporaryHome } from '../support/pit.js';
import { DEEP_MARKETS } from '../support/world/still-markets.js';
import { testWorld } from '../support/world/world.js';
import { FILES, LINES, type Line, OTHER_LISTS, SILENT } from './lines.js';
import { normalized } from './normalized.js';
import { commandOf, schemaViolations } from './schema-violations.js';

const GOLDEN = path.join(import.meta.dirname, 'golden');

/** The first example of each command without a line of its own. */
async function firstExamples(): Promise<Line[]> {
  const shown = new Set(LINES.map(({ words }) => words));
  const others = Object.entries(commands).filter(([words]) => !shown.has(words) && !Object.hasOwn(SILENT, words));
  return Promise.all(
    others.map(async ([words, load]) => {
      const [line = ''] = (await load()).default.examples;
      return { words, line };
    }),
  );
}

const EXAMPLES = await firstExamples();

const file = (words: string) => path.join(GOLDEN, `${words.replaceAll(' ', '-')}.json`);

interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a line in a world of its own, after the lines that it needs. */
async function shownInWorld({ line, after = [], place }: Line): Promise<Printed> {
  const world = await testWorld({ limits: UNLIMITED, ...(place === undefined && { markets: DEEP_MARKETS }) });
  const known: Record<string, string> = {};
  for (const [name, text] of Object.entries(FILES)) {
    known[name] = path.join(world.home, name);
    writeFileSync(known[name], text, { mode: 0o600 });
  }
  const run = (words: string) => {
    const filled = words.replace(/\{([\w.]+)\}/g, (_, name: string) => known[name] ?? `{${name}}`);
    return world.run(['--json', '--yes', ...filled.split(' ')], { environment: { HOME: world.home } });
  };
  for (const step of after) {
    const { stdout, stderr } = await run(step.line);
    expect(stdout, stderr).not.toBe('');
    Object.assign(known, step.learns?.(JSON.parse(stdout)));
  }
  return run(line);
}

/** Runs a line on the machine's clock. One that serves is interrupted as soon as it has answered. */
async function shownHere({ words, line, place }: Line): Promise<Printed> {
  const home = temporaryHome();
  if (place === 'served') await serveSandbox(home);
  const onInterrupt = (work: (signal: 'SIGTERM') => unknown) => {
    setImmediate(() => work('SIGTERM'));
    return () => undefined;
  };
  return runPit(['--json', '--yes', ...line.split(' ')], {
    ...{ home, environment: { HOME: home } },
    host: words === 'sandbox serve' ? { onInterrupt } : {},
  });
}

it.each([...EXAMPLES, ...LINES])(
  'pit $line --json prints its golden document, and on stderr only JSON lines',
  async (shown) => {
    const { words, line, golden = words, place } = shown;
    const { stdout, stderr } = await (place === undefined || place === 'traded'
      ? shownInWorld(shown)
      : shownHere(shown));
    expect(stdout, stderr).toMatch(/^[^\n]+\n$/);
    expectJsonLines(line, stderr);
    const document: unknown = JSON.parse(stdout);
    expect(await schemaViolations(words, document)).toEqual([]);
    await expect(`${JSON.stringify(normalized(document), null, 2)}\n`).toMatchFileSnapshot(file(golden));
  },
);

/** The first example of each command that prints a list and writes nothing. */
async function examplesOfLists(): Promise<string[]> {
  const loaded = await Promise.all(Object.values(commands).map(async (load) => (await load()).default));
  return loaded.flatMap(({ output, dryRunOutput, examples }) => {
    const [line = ''] = examples;
    return output?.type === 'array' && dryRunOutput === undefined ? line.replace(/ --(?:json|csv)$/, '') : [];
  });
}

describe('the CSV of a list', async () => {
  const pit = useWorld();

  const examples = await examplesOfLists();

  it('is asked of each of more than ten lists', () => expect(examples.length).toBeGreaterThan(10));

  it.each([...examples, ...OTHER_LISTS])('pit %s --csv has the header of its schema', async (line) => {
    const words = commandOf(line) ?? '';
    const definition = (await commands[words]?.())?.default;
    if (definition === undefined) throw new Error(`no command ${words}`);
    const { stdout } = await pit.run(`${line} --csv`);
    const [header] = stdout.split('\n');
    expect(header).toBe(
      rowFields(definition)
        .map(([name]) => name)
        .join(','),
    );
  });
});

it('every golden document is that of a command', () => {
  const names = [...Object.keys(commands), ...LINES.flatMap(({ golden }) => golden ?? [])].map(file);
  expect(readdirSync(GOLDEN).filter((name) => !names.includes(path.join(GOLDEN, name)))).toEqual([]);
});
