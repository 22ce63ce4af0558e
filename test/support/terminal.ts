import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { startInProcess } from './in-process.js';
import { plainEnvironment, type RunOptions } from './pit.js';
import type { PtyJob, PtyResult } from './pty.js';

interface TerminalOptions
  extends Pick<RunOptions, 'home' | 'environment'>,
    Omit<PtyJob, 'command' | 'environment' | 'seconds'> {}

const STILL_MS = 15;

/**
 * Runs a command line in this process, at a terminal as far as a program sees one: the window, its input, and the mode in
 * which each key arrives as it is pressed. For questions and their answers. What the system's terminal does by itself
 * (signals, keys pressed before a question, echo, job control) needs `onTerminal`.
 */
export async function atTerminal(
  words: readonly string[],
  {
    home,
    environment = {},
    columns = 80,
    rows = 30,
    stdin = 'terminal',
    stdout = 'terminal',
    steps = [],
  }: TerminalOptions,
): Promise<Omit<PtyResult, 'late'>> {
  let isRaw = false;
  const keys = new PassThrough();
  const input =
    stdin === 'none'
      ? ''
      : Object.assign(keys, {
          isTTY: true,
          setRawMode: (raw: boolean) => {
            isRaw = raw;
          },
        });
  let [screen, piped] = ['', ''];
  let printed = () => {};
  const command = startInProcess(words, plainEnvironment(home, { TERM: 'xterm', ...environment }), {
    ...{ input, columns, rows, pipedOutput: stdout === 'pipe' },
    onPrinted: (text, name) => {
      if (stdout === 'pipe' && name === 'stdout') piped += text;
      // as a terminal begins every line at its left edge
      else screen += text.replaceAll(/\r?\n/g, '\r\n');
      printed();
    },
  });
  let status: number | undefined;
  const ended = command.ended.then((code) => {
    status = code;
    printed();
  });
  let seen = 0;
  for (const { await: awaited = '', type = '', ...others } of steps) {
    if (Object.keys(others).length > 0)
      throw new Error(`${Object.keys(others)} needs a real terminal: use onTerminal.`);
    let found = screen.indexOf(awaited, seen);
    while (found === -1 && status === undefined) {
      await new Promise<void>((resolve) => {
        printed = resolve;
      });
      found = screen.indexOf(awaited, seen);
    }
    seen = found === -1 ? screen.length : found + awaited.length;
    if (type === '') continue;
    // a person answers what stands still: a list may still be narrowed down
    for (let shown = -1; shown !== screen.length && status === undefined; ) {
      shown = screen.length;
      await delay(STILL_MS);
    }
    if (status === undefined && !isRaw)
      throw new Error(`${JSON.stringify(type)} is typed where pit asks nothing: use onTerminal.`);
    keys.write(type);
  }
  await ended;
  keys.destroy();
  return { screen, piped, status: status ?? 1, echoes: !isRaw };
}
