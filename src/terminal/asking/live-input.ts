import {
  createPrompt,
  isEnterKey,
  makeTheme,
  type Theme,
  useEffect,
  useKeypress,
  usePrefix,
  useState,
} from '@inquirer/core';
import type { TerminalOutput } from '../../platform/host.js';

/** From the cursor to the end of the screen. */
const ERASE_BELOW = '\u001b[J';

/** An input line above text that shows at every moment what the input would mean. */
export interface LiveInput {
  readonly message: string;
  /** The text below the line for the current input, and for what was wrong with it at Enter: whole painted lines. */
  readonly below: (typed: string, wrong: string | undefined) => string;
  /** True, or what is wrong with an answer. */
  readonly check: (typed: string) => true | string;
  /** Reads again what `below` shows. Never rejects. */
  readonly refresh: () => Promise<void>;
  readonly refreshMs: number;
  readonly theme?: object;
  /** Reports that the window has another size. */
  readonly terminal?: TerminalOutput;
}

/** inquirer's `input` with words below it that are drawn again while it waits. */
export const liveInput = createPrompt<string, LiveInput>((config, done) => {
  const theme: Theme = makeTheme(config.theme);
  const [isDone, finish] = useState(false);
  const [typed, setTyped] = useState('');
  const [wrong, setWrong] = useState<string | undefined>(undefined);
  const [, drawAgain] = useState(0);
  const status = isDone ? 'done' : 'idle';
  const prefix = usePrefix({ status, theme });
  const redraw = () => drawAgain((times) => times + 1);
  useEffect(() => refreshing(config, redraw), []);
  useEffect(() => resizing(config, redraw), []);
  useKeypress((key, readline) => {
    if (!isEnterKey(key)) {
      const line = edited(readline.line);
      if (line !== readline.line) retype(readline, line);
      setTyped(line);
      return setWrong(undefined);
    }
    const checked = config.check(typed.trim());
    if (checked === true) {
      finish(true);
      return done(typed.trim());
    }
    // Enter took the line away
    readline.write(typed);
    setWrong(checked);
  });
  const line = `${prefix} ${theme.style.message(config.message, status)} ${isDone ? theme.style.answer(typed) : typed}`;
  return isDone ? line : [line, config.below(typed.trim(), wrong)];
});

/** Refreshes at once, and again a pause after each time. Gives what ends it. */
function refreshing({ refresh, refreshMs }: LiveInput, draw: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  const look = async () => {
    await refresh();
    if (ended) return;
    draw();
    timer = setTimeout(look, refreshMs);
  };
  void look();
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}

/** In another width the words below take other lines than inquirer counts on: they go before it draws again. */
function resizing({ terminal }: LiveInput, draw: () => void): () => void {
  const onResize = () => {
    terminal?.write(ERASE_BELOW);
    draw();
  };
  terminal?.on('resize', onResize);
  return () => terminal?.off('resize', onResize);
}

/** What is left of a line when rubouts have done their work, which a dumb terminal leaves in it, and other controls are gone. */
function edited(line: string): string {
  let text = '';
  for (const character of line) {
    if (character === '\b' || character === '\x7f') text = text.slice(0, -1);
    else if (character >= ' ') text += character;
  }
  return text;
}

function retype(readline: { clearLine: (direction: 0) => void; write: (text: string) => void }, line: string): void {
  readline.clearLine(0);
  readline.write(line);
}
