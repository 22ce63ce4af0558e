import { expect, it } from 'vitest';
import { plainEnvironment } from '../../support/pit.js';
import { PIT } from '../../support/program.js';
import { onTerminal } from '../../support/pty.js';
import { requires } from '../../support/tools.js';
import { usePitHome } from '../pit-home.js';

const pit = usePitHome();
const SUSPEND = '\u001a';
const INTERRUPT = '\u0003';

it.skipIf(!requires('python3'))(
  'a watch is suspended and resumed, follows the size of the window, and ends with 130 or 0 (needs python3)',
  async () => {
    const { screen, status, echoes } = await onTerminal({
      command: ['bash', '--norc', '--noprofile', '-i'],
      environment: { ...plainEnvironment(pit.home), PS1: 'ready ', TERM: 'xterm', NO_COLOR: '1' },
      columns: 100,
      steps: [
        { await: 'ready ', type: `${process.execPath} ${PIT} balance --watch\r` },
        { await: 'frozen', type: SUSPEND },
        { await: 'Stopped', type: 'stty -a\r' },
        { pattern: '[^-]icanon[^\u0000]*[^-]echo ', type: 'fg\r' },
        { await: 'frozen', resize: 30 },
        { await: 'No room for', type: INTERRUPT },
        { await: 'ready ', type: 'echo code $?\r' },
        { await: 'code 130', type: `${process.execPath} ${PIT} balance --watch\r` },
        { await: 'frozen', type: 'q' },
        { await: 'ready ', type: 'echo code $?\r' },
        { await: 'code 0', type: 'exit\r' },
      ],
    });
    expect({ status, echoes }).toEqual({ status: 0, echoes: true });
    const modes = screen.match(/\u001b\[\?(?:1049|25)[hl]/g)?.join('') ?? '';
    const [entered, left] = ['\u001b[?1049h\u001b[?25l', '\u001b[?25h\u001b[?1049l'];
    expect(modes).toBe((entered + left).repeat(3));
  },
);
