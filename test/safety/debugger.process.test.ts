import { describe, expect, it } from 'vitest';
import { usePitHome } from '../commands/pit-home.js';
import { start } from '../commands/started.js';
import { pitLine } from '../support/command.js';
import { plainEnvironment, temporaryHome } from '../support/pit.js';
import { onTerminal } from '../support/pty.js';
import { requires } from '../support/tools.js';

const pit = usePitHome();

/** What Node prints when it opens its debugger. */
const OPENED = 'Debugger listening';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

describe('SIGUSR1, at which Node opens its debugger to every user of the machine, is ignored by', () => {
  it.each([
    ['mcp', `${JSON.stringify(INITIALIZE)}\n`],
    ['shell', 'ticker btc_usdt --json\n'],
    ['alert btc_usdt last>1 --repeat --exec false --verbose', ''],
    ['stream trades:btc_usdt', ''],
    ['cancel-after xrp_eth --hold --yes', ''],
    ['sandbox serve --port 0', ''],
  ])('pit %s', async (line, input) => {
    // a sandbox has a home of its own
    const home = line.startsWith('sandbox') ? { home: temporaryHome() } : pit;
    const { child, until, ended } = start(home as typeof pit, line.split(' '));
    child.stdin?.write(input);
    if (line.startsWith('alert')) await until('stderr', /GET .*trades/);
    else await until('stdout', /\n/);
    child.kill('SIGUSR1');
    child.kill('SIGTERM');
    const { stderr } = await ended;
    expect(stderr).not.toContain(OPENED);
  });

  it.skipIf(!requires('python3'))('pit watch (needs python3)', async () => {
    const { screen } = await onTerminal({
      command: pitLine('watch', 'btc_usdt'),
      environment: { ...plainEnvironment(pit.home), TERM: 'xterm' },
      columns: 100,
      steps: [
        { pattern: '\\d,\\d{3}\\.\\d', signal: 'SIGUSR1' },
        { pattern: '\\d,\\d{3}\\.\\d', type: 'q' },
      ],
    });
    expect(screen).not.toContain(OPENED);
  });
});
