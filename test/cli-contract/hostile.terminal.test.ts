import { describe, expect, it } from 'vitest';
import { environmentAt } from '../commands/literal-exchange.js';
import { pitLine } from '../support/command.js';
import { plainEnvironment, temporaryHome } from '../support/pit.js';
import { onTerminal } from '../support/pty.js';
import { requires } from '../support/tools.js';
import { useHostileExchange } from './hostile-exchange.js';
import { OBEYED, PAYLOADS } from './payloads.js';

const home = temporaryHome();
const exchange = useHostileExchange();

describe.skipIf(!requires('python3'))('hostile texts of an exchange', () => {
  it.each(['balance --all', 'bills --all', 'fees', 'order buy btc_usdt 1 --at 30000'])(
    'hostile texts reach no real terminal through pit %s (needs python3)',
    async (line) => {
      exchange.payload = PAYLOADS[2] ?? '';
      const { screen, late } = await onTerminal({
        command: pitLine(...line.split(' ')),
        environment: plainEnvironment(home, { ...environmentAt(exchange.url), TERM: 'xterm' }),
        columns: 80,
        steps: line.startsWith('order') ? [{ await: '[y/N]', type: 'y\r' }] : [],
      });
      expect(late).toBe(false);
      // pit's own: colours, progress lines and questions
      const others = screen.replace(/\u001b\[(?:[\d;]*[mGKAJ]|\?25[hl])|\r+\n?/g, '\n');
      expect(others).not.toMatch(OBEYED);
      expect(screen).not.toMatch(/\u001b\[2J|\u001b\[6n|\u001b\]|\u001bc/);
    },
  );
});
