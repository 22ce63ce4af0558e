import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { serviceText } from '../../../src/commands/algo/service.js';
import { temporaryHome } from '../../support/pit.js';
import { requires } from '../../support/tools.js';

const OPTIONS = { program: { command: process.execPath, arguments: ['bin/pit.js'] }, profile: 'main', home: null };

describe.skipIf(!requires('systemd-analyze'))('the unit for systemd', () => {
  test.each([
    ['of a plain installation', OPTIONS],
    ['of a folder with a space, a percent sign and a dollar', { ...OPTIONS, home: '/tmp/my $home 50%' }],
  ])('%s is accepted by systemd-analyze', (_, options) => {
    const file = path.join(temporaryHome(), 'pit-algo-main.service');
    writeFileSync(file, serviceText('systemd', options));
    // it fails for a unit that systemd would not load, and prints what it ignores
    const env = { ...process.env, XDG_RUNTIME_DIR: path.dirname(file) };
    expect(execFileSync('systemd-analyze', ['verify', '--user', file], { encoding: 'utf8', stdio: 'pipe', env })).toBe(
      '',
    );
  });
});

test('the unit for systemd runs pit algo run with the profile, and again after a crash', () => {
  const text = serviceText('systemd', { ...OPTIONS, home: '/tmp/my home' });
  expect(text).toContain(`"${path.resolve('bin/pit.js')}" "algo" "run" "--json" "--profile" "main"`);
  expect(text).toContain('Environment="PIT_HOME=/tmp/my home"');
  expect(text).toContain('Restart=on-failure');
});

test.each(['systemd', 'launchd'] as const)('the unit for %s has a name of its own for each profile', (kind) => {
  const names = (profile: string) => serviceText(kind, { ...OPTIONS, profile }).match(/pit-algo[\w-]*/g);
  expect(new Set(names('main'))).toEqual(new Set(['pit-algo-main']));
  expect(new Set(names('other'))).toEqual(new Set(['pit-algo-other']));
});

test('the unit for launchd keeps text of XML apart from its own', () => {
  const text = serviceText('launchd', { ...OPTIONS, home: '/tmp/<me> & you' });
  expect(text).toContain('<string>/tmp/&lt;me&gt; &amp; you</string>');
  expect(text).not.toContain('<me>');
});

test.each(['systemd', 'launchd'] as const)('no folder name writes a line into the unit for %s', (kind) => {
  for (const end of ['\n', '\r', '\0', '\u2028', '\u001b']) {
    const name = `/tmp/x${end}ExecStartPre=/bin/touch /tmp/owned${end}`;
    expect(() => serviceText(kind, { ...OPTIONS, home: name })).toThrow('has a control character');
    const program = { command: process.execPath, arguments: [`${name}/pit.js`] };
    expect(() => serviceText(kind, { ...OPTIONS, program })).toThrow('has a control character');
  }
});

test('a quote, a backslash, a percent sign and a dollar in a folder name stay in its text', () => {
  const text = serviceText('systemd', { ...OPTIONS, home: '/tmp/a" b\\ 5% $x' });
  expect(text).toContain(String.raw`Environment="PIT_HOME=/tmp/a\" b\\ 5%% $x"`);
});
