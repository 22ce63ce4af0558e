import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands, SECTIONS } from '../../../src/commands/index.js';
import { commandTree, referenceFiles } from '../../../src/commands/reference/index.js';
import { roff } from '../../../src/commands/reference/man-pages.js';
import { ROOT, textOf } from '../../architecture/sources.js';
import { requires } from '../../support/tools.js';

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

  it.skipIf(process.platform !== 'linux' || !requires('man'))('shows a manual page in man without a warning', () => {
    const { stdout, stderr } = spawnSync('man', ['--warnings', '-E', 'UTF-8', '-l', `${ROOT}/man/man1/pit-depth.1`], {
      env: { ...process.env, MANPAGER: 'cat', MANWIDTH: '80', LC_ALL: 'C.UTF-8' },
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(stdout).toContain('pit depth MARKET [--size N] [--merge STEP]');
  });

  // as man runs it, which starts several other programs for each page
  it.skipIf(process.platform !== 'linux' || !requires('groff'))('formats every manual page without a warning', () => {
    const words = ['-mandoc', '-wmac', '-rLL=80n', '-Kutf8', '-Tutf8', ...pages.map((file) => `${ROOT}/${file}`)];
    const { stdout, stderr, status } = spawnSync('groff', words, { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    for (const page of pages) expect(stdout).toContain(`${path.basename(page, '.1').toUpperCase()}(1)`);
  });
});
