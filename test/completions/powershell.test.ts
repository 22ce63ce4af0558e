import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../architecture/sources.js';
import { PIT_IN_SHELL } from '../support/command.js';
import { plainEnvironment, runPit, temporaryHome } from '../support/pit.js';
import { runProgram } from '../support/program.js';
import { lacks } from '../support/tools.js';

const home = temporaryHome();

function write(file: string, text: string): void {
  mkdirSync(path.dirname(path.join(home, file)), { recursive: true, mode: 0o700 });
  writeFileSync(path.join(home, file), text, { mode: 0o600 });
  chmodSync(path.join(home, 'cache'), 0o700);
}

write('cache/symbols/sandbox/markets', 'eos_eth\nxrp_usdt\n$(touch_me)\nz;x\n\u001b[2J_usdt\n');
write('cache/symbols/sandbox/coins', 'eos\nxrp\n');
write('cache/symbols/sandbox/orders', 'eos_eth 202611213892190900 myOwn1 buy 0.5 at 0.01234\nxrp_usdt 7 -\n');

/** What the program offers for the text before the cursor. */
async function offered(line: string): Promise<string[]> {
  const environment = { PIT_COMPLETE_LINE: line };
  const { code, stdout, stderr } = await runPit(['--complete'], { home, environment });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.split('\n').slice(0, -1);
}

describe('what pit offers PowerShell', () => {
  it.each<[string, string[]]>([
    ['pit mar', ['markets']],
    ['pit order sh', ['show']],
    ['pit help order re', ['replace']],
    ['pit us', []],
    ['pit exi', []],
    ['pit depth --me', ['--merge']],
    ['pit depth --size 5 --si', []],
    ['pit orders --side s', ['sell']],
    ['pit orders --side=s', ['--side=sell']],
    ['pit order --override day-notional,pr', ['day-notional,price-band']],
    ['pit depth EO', ['eos_eth']],
    ['pit depth ', ['eos_eth', 'xrp_usdt']],
    ['pit markets --base=xr', ['--base=xrp']],
    ['pit stream kline:eo', ['kline:eos_eth:']],
    ['pit cancel eos_eth ', ['202611213892190900']],
    ['pit cancel eos_eth --id m', ['myOwn1']],
    ['pit api depth mar', ['market=']],
    ["pit order --override 'day-notional,price-band' --overr", ['--override']],
    ['pit order buy eos_eth ', expect.arrayContaining(['--at', '--post-only'])],
    ['pit completion power', ['powershell']],
    ['pit depth "', []],
    ['', expect.arrayContaining(['ticker', 'order', 'help'])],
  ])('%j completes to %j', async (line, words) => {
    expect(await offered(line)).toEqual(words);
  });

  it('comes from the program too, which executes nothing of the line', async () => {
    const environment = { PIT_COMPLETE_LINE: 'pit depth $(touch EXECUTED) `touch EXECUTED`; pit ord' };
    expect(await runProgram(['--complete'], { home, environment })).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const valid = await runProgram(['--complete'], { home, environment: { PIT_COMPLETE_LINE: 'pit tick' } });
    expect(valid).toMatchObject({ code: 0, stdout: 'ticker\n', stderr: '' });
  });

  it('a missing line to complete is a usage error', async () => {
    expect((await runPit(['--complete'], { home })).code).toBe(2);
  });
});

/** `pwsh`, or undefined where there is none: no package of Debian or npm holds it. */
const pwsh = spawnSync('pwsh', ['-Version'], { stdio: 'ignore' }).status === 0 ? 'pwsh' : undefined;
if (pwsh === undefined) lacks('pwsh');

describe('the script for PowerShell', () => {
  const file = path.join(ROOT, 'completions', 'pit.ps1');
  const script = readFileSync(file, 'utf8');

  it('the script is plain ASCII, which every PowerShell reads alike, and closes what it opens', () => {
    expect(script).toMatch(/^[\n\x20-\x7e]*$/);
    const code = script.replace(/#.*$/gm, '').replace(/'(?:[^']|'')*'|"[^"]*"/g, '');
    for (const [open, close] of ['{}', '()', '[]'].map((pair) => [...pair]))
      expect(code.split(open ?? '').length, open).toBe(code.split(close ?? '').length);
  });

  it('gives the line to pit in the variable that pit reads, and nothing as an argument', () => {
    expect(script).toContain('$env:PIT_COMPLETE_LINE = $line');
    expect(script).toContain('& pit --complete 2>$null');
  });

  it.skipIf(pwsh === undefined)('completes in PowerShell', () => {
    const folder = path.join(home, 'bin');
    write('bin/pit', `#!/bin/sh\nexec ${PIT_IN_SHELL} "$@"\n`);
    chmodSync(path.join(folder, 'pit'), 0o700);
    const complete = (line: string) =>
      execFileSync(
        'pwsh',
        [
          '-NoProfile',
          '-Command',
          `. '${file}'; (TabExpansion2 '${line}' ${line.length}).CompletionMatches.CompletionText`,
        ],
        { encoding: 'utf8', env: { ...plainEnvironment(home), PATH: `${folder}:${process.env.PATH}` } },
      ).trim();
    expect(complete('pit order sh')).toBe('show');
    expect(complete('pit depth eo')).toBe('eos_eth');
    expect(complete('pit orders --side=s')).toBe('--side=sell');
    expect(complete('pit order --override ').split('\n')).toContain('price-band');
  });
});
