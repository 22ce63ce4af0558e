import { describe, expect, it } from 'vitest';
import { usePitHome } from '../commands/pit-home.js';
import { PIT_IN_SHELL } from '../support/command.js';
import { runProgram } from '../support/program.js';

const pit = usePitHome();

/** Runs the program with the keys of the sandbox in its environment. */
const run = (words: readonly string[], input = '') =>
  runProgram(words, { home: pit.home, environment: { ...pit.served.environment, SHELL: '/bin/sh' }, input });

/** Each way in which pit starts a program of the user. What the program prints is on stdout or stderr. */
const WAYS: readonly (readonly [string, (program: string) => ReturnType<typeof run>])[] = [
  ['--exec', (program) => run(['alert', 'btc_usdt', 'last>1', '--exec', `sh -c "${program}"`])],
  [
    'cancel-after --hold --',
    (program) => run(['cancel-after', 'xrp_eth', '--hold', '--yes', '--', 'sh', '-c', program]),
  ],
  ['a pipe of the shell', (program) => run(['shell'], `ticker btc_usdt | (${program})\n`)],
];

describe.each(WAYS)('a program that is started by %s', (_, started) => {
  it('gets no keys from the environment', async () => {
    const { stdout, stderr } = await started('env');
    expect(stdout + stderr).toContain('PIT_TRADE_URL=');
    expect(stdout + stderr).not.toMatch(/PIT_(ACCESS|SECRET)_KEY/);
    for (const key of [pit.served.address.accessKey, pit.served.address.secretKey])
      expect(stdout + stderr).not.toContain(key);
  });

  it('can read markets with pit, and is told why it cannot read the account', async () => {
    const { stdout, stderr } = await started(`${PIT_IN_SHELL} ticker eth_usdt --csv; ${PIT_IN_SHELL} account`);
    expect(stdout + stderr).toContain('eth_usdt,');
    expect(stdout + stderr).toContain('pit gives the programs that it starts no keys from its environment.');
  });
});
