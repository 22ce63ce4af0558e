import { setImmediate as nextTurn } from 'node:timers/promises';
import { createPromptModule } from 'inquirer';
import { Interrupted } from '../../errors.js';
import { type Host, streamOf, type TerminalInput, type TerminalOutput } from '../../platform/host.js';
import { KeyReader } from '../live/key-reader.js';
import type { Screen } from '../screen.js';
import { PromptCancelled } from './prompt-cancelled.js';
import type { Question } from './question.js';

type Streams = Pick<Host, 'input' | 'errors'>;

interface Drawing {
  readonly input: Host['input'];
  readonly output: TerminalOutput;
  readonly signal: AbortSignal;
}

interface Key {
  readonly name?: string;
  readonly ctrl?: boolean;
}

const SHOW_CURSOR = '\u001b[?25h';

/** Asks a question with inquirer. Loaded at the first question: loading inquirer takes longer than most commands. */
export function ask(host: Streams, screen: Screen, question: Question, signal?: AbortSignal): Promise<unknown> {
  return askAfter(async () => {}, host, screen, question, signal);
}

/** Asks a question that keys pressed earlier cannot answer. */
export function askAfresh(host: Streams, screen: Screen, question: Question, signal?: AbortSignal): Promise<unknown> {
  return askAfter(dropTypeAhead, host, screen, question, signal);
}

async function askAfter(
  prepare: (input: Streams['input']) => Promise<void>,
  host: Streams,
  screen: Screen,
  question: Question,
  signal?: AbortSignal,
): Promise<unknown> {
  if (!screen.symbols) {
    await prepare(host.input);
    const { askPlainly } = await import('./plain-asking.js');
    const answer = askPlainly(host, question, prepare === dropTypeAhead);
    return unlessAborted(answer, signal, () => host.errors.write('\n'));
  }
  const leaving = new AbortController();
  signal?.addEventListener('abort', () => leaving.abort(signal.reason));
  const release = watch(host, (left) => leaving.abort(left));
  try {
    await prepare(host.input);
    const streams = { input: host.input, output: streamOf(host.errors), signal: leaving.signal };
    return await drawn(question, themeOf(screen), streams);
  } catch (error) {
    throw meaningOf(error, leaving.signal.reason);
  } finally {
    release();
  }
}

/** The answer, unless the signal comes first: then ends the line, and rejects with the reason of the signal. */
function unlessAborted<Value>(
  answer: Promise<Value>,
  signal: AbortSignal | undefined,
  endLine: () => void,
): Promise<Value> {
  if (signal === undefined) return answer;
  return Promise.race([
    answer,
    new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => {
        endLine();
        reject(signal.reason);
      });
    }),
  ]);
}

async function drawn(question: Question, theme: object, streams: Drawing): Promise<unknown> {
  if (question.type === 'live') {
    const { liveInput } = await import('./live-input.js');
    return liveInput({ ...question, theme, terminal: streams.output }, streams);
  }
  const prompt = createPromptModule(streams);
  const answers = await prompt<Record<string, unknown>>([{ ...question, name: 'answer', theme }]);
  return answers.answer;
}

/** Leaves the question at Escape, Ctrl-D and the end of input. inquirer alone would wait forever. */
function watch({ input, errors }: Streams, leave: (left: PromptCancelled) => void): () => void {
  const onKey = (_text: string, key: Key | undefined): void => {
    if (key?.name === 'escape' || (key?.ctrl && key.name === 'd')) leave(new PromptCancelled(key.name === 'escape'));
  };
  const onEnd = (): void => leave(new PromptCancelled(false));
  // a signal may end the process while the cursor is hidden
  const onExit = (): void => void errors.write(SHOW_CURSOR);
  // after Ctrl-Z and fg, readline leaves the input paused, and Node would have nothing to wait for
  const onBack = (): void => void setImmediate(() => redraw(input.resume()));
  const endings = ['end', 'close', 'error'];
  input.on('keypress', onKey);
  for (const ending of endings) input.on(ending, onEnd);
  process.on('exit', onExit);
  process.on('SIGCONT', onBack);
  return () => {
    input.off('keypress', onKey);
    for (const ending of endings) input.off(ending, onEnd);
    process.off('exit', onExit);
    process.off('SIGCONT', onBack);
    // readline does not pause an input that was resumed here
    input.pause();
  };
}

/** Makes inquirer draw again by typing a letter and deleting it. */
function redraw(input: Streams['input']): void {
  input.emit('keypress', ' ', { name: 'space', sequence: ' ' });
  input.emit('keypress', '', { name: 'backspace' });
}

function meaningOf(error: unknown, left: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === 'ExitPromptError') return new Interrupted('SIGINT');
  return error.name === 'AbortPromptError' ? left : error;
}

/** Makes inquirer use the colors of the rest of the screen. By itself it follows the global environment. */
function themeOf({ paint }: Screen): object {
  const keysHelpTip = (keys: readonly (readonly [string, string])[]): string =>
    paint.faint(keys.map(([key, action]) => `${key} ${action}`).join(', '));
  return {
    prefix: { idle: paint.label('?'), done: paint.label('?') },
    spinner: { interval: 1000, frames: [paint.label('?')] },
    style: {
      answer: paint.strong,
      message: paint.strong,
      error: (text: string) => paint.bad(`> ${text}`),
      defaultAnswer: (text: string) => paint.faint(`(${text})`),
      help: paint.faint,
      highlight: paint.strong,
      key: paint.strong,
      description: paint.faint,
      disabled: paint.faint,
      searchTerm: paint.strong,
      maskedText: '',
      keysHelpTip,
    },
  };
}

/** The first turn may end before the terminal is read; the second brings what waits there. */
const TURNS = 2;

/**
 * Drops what was typed before the question appeared: it cannot be meant as the answer. inquirer drops it only if it happens
 * to be read before the first drawing, and keeps the letters of an unfinished line.
 */
async function dropTypeAhead(input: TerminalInput): Promise<void> {
  // raw, or an unfinished line would not be delivered
  const reader = new KeyReader(input, () => undefined);
  for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
  reader.end();
}
