import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands } from '../../../src/commands/index.js';
import { temporaryHome } from '../../support/pit.js';
import { PitHome } from '../pit-home.js';

const pit = new PitHome(temporaryHome());

describe('help', () => {
  it.each(['', '-h', '--help', 'help'])('"pit %s" lists the commands on stdout', async (line) => {
    const text = await pit.done(line);
    for (const words of Object.keys(commands)) expect(text).toMatch(new RegExp(`^  ${words.split(' ')[0]}\\b`, 'm'));
    expect(text).toContain('--dry-run');
  });

  it('lists the commands in sections, in the order of their use', async () => {
    const titles = (await pit.done('--help')).match(/^\w[\w ]*:$/gm);
    expect(titles).toEqual([
      'Options:',
      'Market data:',
      'Trading:',
      'Funds:',
      'Agents:',
      'Setup:',
      'Sandbox:',
      'Help:',
    ]);
  });

  it.each([
    ['help depth', 'depth --help', 'depth'],
    ['help profile add', 'profile add -h', 'profile add'],
    ['help order show', 'order show --help', 'order show'],
    ['help sandbox', 'sandbox --help', 'sandbox'],
  ])('"pit %s" prints the same as "pit %s"', async (line, other, words) => {
    const text = await pit.done(line);
    expect(text).toContain(`Usage: pit ${words} `);
    expect(text).not.toContain('default: false');
    expect(await pit.done(other)).toBe(text);
  });

  it('shows examples and the global flags', async () => {
    const text = await pit.done('depth --help');
    expect(text).toMatch(/Examples:\n {2}pit depth btc_usdt/);
    expect(text).toContain('--profile <name>');
  });

  it.each([
    ['alert', 'stop waiting after this time (default: wait without an end)'],
    ['mcp', 'stop each call of a tool after this time; the server itself has no limit'],
    ['shell', 'stop each command after this time; the shell itself has no limit'],
    ['watch', 'stop each order and cancellation after this time; the screen itself has no limit'],
    ['stream', 'give up if there is no connection after this time (default: 30)'],
    ['sandbox serve', 'give up if it has not started after this time (default: 30)'],
  ])('says what --timeout does for pit %s, which does not end after 30 seconds', async (command, meaning) => {
    const help = (await pit.done(`${command} --help`)).replace(/\s+/g, ' ');
    expect(help).toContain(`--timeout <seconds> ${meaning}`);
    expect(help).not.toContain('stop the command after this time');
  });

  it('shows a subcommand without the flags of its parent', async () => {
    expect(await pit.done('order --help')).toContain('--post-only');
    const text = await pit.done('order batch --help');
    expect([text.match(/--override/g)?.length, text.includes('--post-only')]).toEqual([1, false]);
    expect(text).toContain('--profile <name>');
  });
});

describe('--version', () => {
  const { version } = JSON.parse(readFileSync(path.resolve('package.json'), 'utf8')) as { version: string };

  it.each(['--version', '-V', 'depth --version'])('"pit %s" prints the version', async (line) => {
    expect(await pit.done(line)).toBe(`${version}\n`);
  });

  // the sources know no commit: only a build does
  it.each(['--version --json', '--json -V', 'depth --version --json'])(
    '"pit %s" prints version, commit, Node and what runs as JSON',
    async (line) => {
      const { node } = process.versions;
      // PIT_BIN may name an installed package
      const source = expect.stringMatching(/^(checkout|package)$/);
      expect(JSON.parse(await pit.done(line))).toEqual({ version, commit: null, node, source });
    },
  );
});
