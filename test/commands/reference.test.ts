import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { commands } from '../../src/commands/index.js';
import { SECTIONS } from '../../src/commands/names.js';
import { commandTree, referenceFiles } from '../../src/commands/reference/index.js';
import { roff } from '../../src/commands/reference/man-pages.js';
import { ROOT, textOf } from '../architecture/sources.js';
import { requires } from '../support/tools.js';

// the build defines the version
vi.mock('../../src/version.js', () => ({ version: 'test' }));

const files = await referenceFiles(textOf);
const tree = await commandTree();
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

  it('lists every flag of every command in the manual', () => {
    for (const { path: words, flags } of tree.commands) {
      const manual = files.get(`man/man1/pit-${words.split(' ')[0]}.1`) ?? '';
      for (const { long } of flags) {
        expect({ words, long, manual: manual.includes(roff(long)) }).toEqual({ words, long, manual: true });
      }
    }
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
