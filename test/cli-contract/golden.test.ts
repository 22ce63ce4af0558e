import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { rowFields } from '../../src/cli/row-fields.js';
import { commands } from '../../src/commands/index.js';
import type { Host } from '../../src/platform/host.js';
import { temporaryFolder } from '../sandbox/admin/served.js';
import { expectJsonLines } from '../support/json-lines.js';
import { runPit } from '../support/pit.js';
import { useStillSandbox } from '../support/still-sandbox.js';
import { FILES, LINES, LISTS, type Line, SILENT } from './lines.js';
import { normalized } from './normalized.js';
import { commandOf, schemaViolations } from './schema-violations.js';

const GOLDEN = path.join(import.meta.dirname, 'golden');
const sandbox = useStillSandbox();
const { home } = sandbox;
let count = 0;

/** A host whose random bytes differ from call to call; one that serves is interrupted as soon as it has answered. */
function host(isServing: boolean): Partial<Host> {
  const randomBytes = (length: number) => {
    count += 1;
    return new Uint8Array(length).fill(count);
  };
  if (!isServing) return { ...sandbox.host, randomBytes };
  return {
    ...sandbox.host,
    randomBytes,
    onInterrupt: (work) => {
      setImmediate(() => work('SIGTERM'));
      return () => undefined;
    },
  };
}

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

describe('on the seeded sandbox', () => {
  const known: Record<string, string> = {};

  beforeAll(() => {
    for (const [name, text] of Object.entries(FILES)) {
      known[name] = path.join(home, name);
      writeFileSync(known[name], text, { mode: 0o600 });
    }
  });

  it.each([...EXAMPLES, ...LINES])(
    'pit $line --json prints its golden document, and on stderr only JSON lines',
    async ({ words, line, golden = words, elsewhere, learns, isUnkept }) => {
      const filled = line.replace(/\{([\w.]+)\}/g, (_, name: string) => known[name] ?? `{${name}}`);
      const place = { home: elsewhere === true ? temporaryFolder() : home, host: host(words === 'sandbox serve') };
      const environment = { HOME: place.home };
      const { stdout, stderr } = await runPit(['--json', '--yes', ...filled.split(' ')], { ...place, environment });
      expect(stdout, stderr).toMatch(/^[^\n]+\n$/);
      expectJsonLines(line, stderr);
      const document: unknown = JSON.parse(stdout);
      Object.assign(known, learns?.(document));
      expect(await schemaViolations(words, document)).toEqual([]);
      if (isUnkept !== true)
        await expect(`${JSON.stringify(normalized(document), null, 2)}\n`).toMatchFileSnapshot(file(golden));
    },
  );

  it.each(LISTS)('pit %s --csv has the header of its schema', async (line) => {
    const words = commandOf(line) ?? '';
    const definition = (await commands[words]?.())?.default;
    if (definition === undefined) throw new Error(`no command ${words}`);
    const { stdout } = await runPit([...line.split(' '), '--csv'], sandbox);
    const [header] = stdout.split('\n');
    expect(header).toBe(
      rowFields(definition)
        .map(([name]) => name)
        .join(','),
    );
  });

  it('every golden document is that of a command', () => {
    const names = [...Object.keys(commands), ...LINES.flatMap(({ golden }) => golden ?? [])].map(file);
    expect(readdirSync(GOLDEN).filter((name) => !names.includes(path.join(GOLDEN, name)))).toEqual([]);
  });
});
