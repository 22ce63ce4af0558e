import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { referenceFiles } from '../../src/commands/reference/index.js';
import { roff } from '../../src/commands/reference/roff.js';
import { kindOf, scriptFrom } from '../../src/commands/reference/scripts.js';
import { describeTree } from '../../src/commands/reference/tree.js';
import { ROOT, textOf } from '../architecture/sources.js';
import { requires } from '../support/tools.js';

// the build puts the version in
vi.mock('../../src/version.js', () => ({ version: 'test' }));

const files = await referenceFiles(textOf);
const tree = await describeTree();
const pages = [...files.keys()].filter((file) => file.startsWith('man/'));

describe('what is made from the command tree', () => {
  it.each([...files.keys()])('%s is what the commands say; otherwise: npm run generate', (file) => {
    expect(textOf(file)).toBe(files.get(file));
  });

  it('is a manual page for pit and each command, and none of what is gone', () => {
    const names = readdirSync(`${ROOT}/man/man1`).map((name) => `man/man1/${name}`);
    expect(names.sort()).toEqual([...pages].sort());
    expect(pages.length).toBe(new Set(tree.commands.map(({ words }) => words.split(' ')[0])).size);
  });

  it('names every flag of every command in each script and in the manual', () => {
    for (const { words, flags } of tree.commands) {
      const manual = files.get(`man/man1/pit-${words.split(' ')[0]}.1`) ?? '';
      for (const { long } of flags) {
        expect({ words, long, manual: manual.includes(roff(long)) }).toEqual({ words, long, manual: true });
        for (const script of ['pit.bash', '_pit', 'pit.fish'])
          expect(files.get(`completions/${script}`)).toContain(long);
      }
    }
  });

  it('completes markets, coins, profiles, orders and files wherever a command takes one', () => {
    const kinds = tree.commands.flatMap(({ words, arguments: given, flags }) => [
      ...given.map(({ name, completes }) => `${words} ${name} ${kindOf(completes)}`),
      ...flags
        .filter(({ value }) => value !== null)
        .map(({ long, completes }) => `${words} ${long} ${kindOf(completes)}`),
    ]);
    const open = kinds.filter((kind) => kind.endsWith(' -')).join('\n');
    // a new command that takes one of these by another reader than the others do
    expect(open).not.toMatch(/ (?:MARKET|COIN|ORDER|FILE|--quote|--base|--in|--file|--market|--coin) -$/m);
    expect(kinds).toContain('order SIDE buy|sell');
    expect(kinds).toContain('order --override ,price-band|order-notional|day-notional|post-only');
    expect(kinds).toContain('cancel ID @order');
    expect(kinds).toContain('resolve CLIENT_ID @unresolved');
  });

  it('takes no word that a shell would read otherwise', () => {
    for (const odd of ['a b', '$(x)', 'a|b', "a'b", '', '-x'])
      expect(() => kindOf({ of: 'words', words: ['fine', odd] })).toThrow('cannot be offered');
    expect(() => scriptFrom('no place', [])).toThrow('without the line');
  });

  it('has no word of a description that roff would take for its own', () => {
    expect(roff(".x 'y' \\z --at é")).toBe('\\&.x \\(aqy\\(aq \\ez \\-\\-at \\[u00E9]');
  });

  it.skipIf(process.platform !== 'linux' || !requires('man'))('is set by man without a warning', () => {
    const paths = pages.map((file) => `${ROOT}/${file}`);
    const { stdout, stderr } = spawnSync('man', ['--warnings', '-E', 'UTF-8', '-l', ...paths], {
      env: { ...process.env, MANPAGER: 'cat', MANWIDTH: '80', LC_ALL: 'C.UTF-8' },
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(stdout).toContain('pit depth MARKET [--size N] [--merge STEP]');
  });
});
