import { beforeAll, describe, expect, it } from 'vitest';
import { pitLine } from '../support/command.js';
import { plainEnvironment, runPit, serveSandbox, temporaryHome } from '../support/pit.js';
import { onTerminal } from '../support/pty.js';
import { requires } from '../support/tools.js';

const HOSTS = ['--base-url', 'http://127.0.0.1:1', '--trade-url', 'http://127.0.0.1:1'];
/** About 200 KB, far more than a terminal holds. */
const PASTED = 'echo LEFT\r'.repeat(20_000);
const CTRL_C = '\u0003';

/** Prints all that waits at the terminal after the program, until nothing comes for 0.3 s. */
const THEN_READ = '"$@"; echo "ended $?"; stty -icanon -echo min 0 time 3; cat; stty sane';

describe.skipIf(!requires('python3'))('a terminal that holds unread input when pit ends (needs python3)', () => {
  const home = temporaryHome();
  beforeAll(async () => {
    await serveSandbox(home);
    expect(await runPit(['profile', 'add', 'x', ...HOSTS], { home })).toMatchObject({ code: 0 });
  });

  async function leftBy(words: readonly string[], awaited: string, typed: string) {
    const { screen } = await onTerminal({
      command: ['sh', '-c', THEN_READ, 'sh', ...pitLine(...words)],
      environment: { ...plainEnvironment(home), TERM: 'xterm' },
      steps: [{ await: awaited, type: typed }],
    });
    const [, status, left] = /ended (\d+)\r?\n([\s\S]*)/.exec(screen) ?? [];
    return { status: Number(status), left };
  }

  it.each<[string, string, string, string, number]>([
    ['an answer', 'profile remove x', '[y/N]', 'n\r', 8],
    ['Ctrl-C at a question', 'order', 'Market:', CTRL_C, 130],
    ['an error', 'keys set --profile x --stdin', '', '', 2],
    ['a live view', 'watch btc_usdt', 'quit', 'q', 0],
  ])('gives none of it to the shell: after %s', async (_, line, awaited, typed, status) => {
    expect(await leftBy(line.split(' '), awaited, typed + PASTED)).toEqual({ status, left: '' });
  });

  it('leaves what was typed ahead if pit reads nothing from it', async () => {
    expect(await leftBy(['profile', 'list'], '', 'LEFT\r')).toEqual({ status: 0, left: 'LEFT\r\n' });
  });
});
