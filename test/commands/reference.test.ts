import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { commands } from '../../src/commands/index.js';
import { SECTIONS } from '../../src/commands/names.js';
import { describeTree } from '../../src/commands/reference/command-tree.js';
import { kindOf, withTree } from '../../src/commands/reference/completion-scripts.js';
import { referenceFiles } from '../../src/commands/reference/index.js';
import { roff } from '../../src/commands/reference/man-pages.js';
import { ROOT, textOf } from '../architecture/sources.js';
import { requires } from '../support/tools.js';

// the build defines the version
vi.mock('../../src/version.js', () => ({ version: 'test' }));

const files = await referenceFiles(textOf);
const tree = await describeTree();
const pages = [...files.keys()].filter((file) => file.startsWith('man/'));

describe('generated files', () => {
  it('puts every command into exactly one section', () => {
    const tops = [...new Set(Object.keys(commands).map((words) => words.split(' ')[0]))];
    expect(Object.values(SECTIONS).flat().sort()).toEqual(tops.sort());
  });

  it.each([...files.keys()])('%s matches the commands (fix: npm run generate)', (file) => {
    expect(textOf(file)).toBe(files.get(file));
  });

  it('pit and each command have one manual page, and there are no others', () => {
    const names = readdirSync(`${ROOT}/man/man1`).map((name) => `man/man1/${name}`);
    expect(names.sort()).toEqual([...pages].sort());
    expect(pages.length).toBe(new Set(tree.commands.map(({ path: words }) => words.split(' ')[0])).size);
  });

  it('lists every flag of every command in each completion script and in the manual', () => {
    for (const { path: words, flags } of tree.commands) {
      const manual = files.get(`man/man1/pit-${words.split(' ')[0]}.1`) ?? '';
      for (const { long } of flags) {
        expect({ words, long, manual: manual.includes(roff(long)) }).toEqual({ words, long, manual: true });
        for (const script of ['pit.bash', '_pit', 'pit.fish'])
          expect(files.get(`completions/${script}`)).toContain(long);
      }
    }
  });

  it('completes markets, coins, profiles, orders and files wherever a command takes one', () => {
    const kinds = tree.commands.flatMap(({ path: words, arguments: given, flags }) => [
      ...given.map(({ name, completes }) => `${words} ${name} ${kindOf(completes)}`),
      ...flags
        .filter(({ value }) => value !== null)
        .map(({ long, completes }) => `${words} ${long} ${kindOf(completes)}`),
    ]);
    const open = kinds.filter((kind) => kind.endsWith(' -')).join('\n');
    // a separate reader would leave a command without completion
    expect(open).not.toMatch(/ (?:MARKET|COIN|ORDER|FILE|--quote|--base|--in|--file|--market|--coin) -$/m);
    expect(kinds).toContain('order SIDE buy|sell');
    expect(kinds).toContain('order --override ,price-band|order-notional|day-notional|post-only');
    expect(kinds).toContain('cancel ID @order');
    expect(kinds).toContain('resolve CLIENT_ID @unresolved');
  });

  it('rejects a completion word that a shell would have to quote', () => {
    for (const odd of ['a b', '$(x)', 'a|b', "a'b", '', '-x'])
      expect(() => kindOf({ of: 'words', words: ['fine', odd] })).toThrow('would need quoting');
    expect(() => withTree('no placeholder', [])).toThrow('lacks the line');
  });

  it('escapes what roff would read as a request or an escape', () => {
    expect(roff(".x 'y' \\z --at é")).toBe('\\&.x \\(aqy\\(aq \\ez \\-\\-at \\[u00E9]');
  });

  it.skipIf(process.platform !== 'linux' || !requires('man'))(
    'formats the manual pages without a warning from man',
    () => {
      const paths = pages.map((file) => `${ROOT}/${file}`);
      const { stdout, stderr } = spawnSync('man', ['--warnings', '-E', 'UTF-8', '-l', ...paths], {
        env: { ...process.env, MANPAGER: 'cat', MANWIDTH: '80', LC_ALL: 'C.UTF-8' },
        encoding: 'utf8',
      });
      expect(stderr).toBe('');
      expect(stdout).toContain('pit depth MARKET [--size N] [--merge STEP]');
    },
  );
});
