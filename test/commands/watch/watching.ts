import { PassThrough } from 'node:stream';
import type { Host } from '../../../src/platform/host.js';
import { startInProcess } from '../../support/in-process.js';
import { plainEnvironment } from '../../support/pit.js';
import type { World } from '../../support/world/world.js';
import { DrawnScreen } from '../../terminal/live/drawn-screen.js';

/** `pit watch` in a world, or in this process with a PIT_HOME, on a screen that is read cell by cell. */
export function watching(place: World | string, words: string, [columns, rows] = [120, 40]) {
  const screen = new DrawnScreen(columns ?? 0, rows ?? 0);
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  let changed = () => {};
  screen.onWrite = () => changed();
  let isEnded = false;
  let remarks = '';
  const errors = new PassThrough().on('data', (text) => {
    remarks += text;
  });
  const host: Partial<Host> = { output: screen, errors, input };
  const line = ['watch', ...words.split(' ')];
  const environment = { TERM: 'xterm', NO_COLOR: '1' };
  const ended =
    typeof place === 'string'
      ? startInProcess(line, plainEnvironment(place, environment), { host }).ended
      : place.start(line, { environment, host }).ended.then(({ code }) => code ?? 1);
  const finish = <Result>(work: Promise<Result>) => (typeof place === 'string' ? work : place.finish(work));
  const over = ended.finally(() => {
    isEnded = true;
    changed();
  });
  const shows = (text: string | RegExp) =>
    screen.lines.some((line) => (typeof text === 'string' ? line.includes(text) : text.test(line)));
  /** Resolves when the text is on the screen. */
  const until = async (text: string | RegExp) => {
    while (!shows(text)) {
      if (isEnded) throw new Error(`It ended before ${text} was shown:\n${screen.lines.join('\n')}`);
      await finish(
        new Promise<void>((resolve) => {
          changed = resolve;
        }),
      );
    }
  };
  /** Presses keys, each once the one before was taken. */
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) {
      input.write(key);
      await new Promise(setImmediate);
    }
  };
  return { screen, until, press, shows, ended: () => finish(over), remarks: () => remarks };
}
