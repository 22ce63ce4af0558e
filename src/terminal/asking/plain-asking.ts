import { Interrupted } from '../../errors.js';
import type { Host, TerminalInput } from '../../platform/host.js';
import { KeyReader } from '../live/key-reader.js';
import type { Key } from '../live/keys.js';
import { BACK, PromptCancelled } from './prompt-cancelled.js';
import type { ListedChoice, Question } from './question.js';

type Streams = Pick<Host, 'input' | 'errors'>;

/** More choices would not fit on a screen; another word narrows them down. */
const MAX_CHOICES = 20;

/**
 * Asks on a terminal that cannot move its cursor: whole lines, which the terminal itself edits, and no escape sequence.
 * Throws Interrupted, and Failure `declined` if the question is left.
 *
 * @param isFresh whether lines typed before cannot be the answer
 */
export async function askPlainly(streams: Streams, question: Question, isFresh: boolean): Promise<unknown> {
  if (isFresh) ahead.delete(streams.input);
  if (question.type === 'input') return input(streams, question);
  if (question.type === 'password') return hiddenLine(streams, question.message);
  if (question.type === 'select') return chosen(streams, question.message, question.choices, () => Promise.resolve([]));
  if (question.type === 'search') return chosen(streams, question.message, [], question.source);
  await question.refresh();
  say(streams, question.below('', undefined));
  for (;;) {
    const typed = (await line(streams, question.message)).trim();
    const checked = question.check(typed);
    if (checked === true) return typed;
    await question.refresh();
    say(streams, question.below(typed, checked));
  }
}

async function input(streams: Streams, question: Question & { readonly type: 'input' }): Promise<string> {
  const { message, default: initial, validate } = question;
  for (;;) {
    const typed = await line(streams, initial === undefined ? message : `${message} (${initial})`);
    const answer = typed === '' ? (initial ?? '') : typed;
    const checked = (await validate?.(answer)) ?? true;
    if (checked === true) return answer;
    say(streams, `> ${checked}`);
  }
}

/** A choice by its number or its name, or by a word that leaves only one. */
async function chosen(
  streams: Streams,
  message: string,
  all: readonly ListedChoice[],
  find: (typed: string) => Promise<readonly ListedChoice[]>,
): Promise<number> {
  let listed = all.length > 0 ? all : await find('');
  for (;;) {
    say(streams, message);
    for (const [index, { name }] of listed.slice(0, MAX_CHOICES).entries()) say(streams, `${index + 1}) ${name}`);
    const typed = (await line(streams, 'Number or name:')).trim();
    const choice = /^\d+$/.test(typed) ? listed[Number(typed) - 1] : undefined;
    if (choice !== undefined) return choice.value;
    const fitting = all.length > 0 ? all.filter(({ name }) => name.startsWith(typed)) : await find(typed);
    const named =
      fitting.find(({ name, short = name }) => short === typed) ?? (fitting.length === 1 ? fitting[0] : null);
    if (typed !== '' && named) return named.value;
    if (all.length === 0 && fitting.length > 0) listed = fitting;
    else say(streams, '> Type one of the numbers or names.');
  }
}

function say({ errors }: Streams, text: string): void {
  if (text !== '') errors.write(`${text}\n`);
}

/** A line as the terminal has edited it. Throws Interrupted at Ctrl-C, and Failure `declined` if the question is left. */
async function line({ input, errors }: Streams, message: string): Promise<string> {
  errors.write(`? ${message} `);
  const typed = await typedLine(input, false);
  if (typed.trim() === BACK) throw new PromptCancelled(true);
  return typed;
}

/** A line that is not shown. Throws Interrupted at Ctrl-C, and Failure `declined` if the question is left. */
async function hiddenLine({ input, errors }: Streams, message: string): Promise<string> {
  errors.write(`? ${message} `);
  try {
    return await typedLine(input, true);
  } finally {
    errors.write('\n');
  }
}

/** What was typed after the end of a line: the answer to the next question. */
const ahead = new WeakMap<TerminalInput, readonly Key[]>();

const ENDINGS = ['end', 'close', 'error'];

function typedLine(input: TerminalInput, isHidden: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    let rest: Key[] | undefined;
    const end = (): void => {
      rest = [];
      for (const ending of ENDINGS) input.off(ending, onEnd);
      // after the keys that came with the last one
      queueMicrotask(() => {
        reader.end();
        ahead.set(input, rest ?? []);
      });
    };
    const leave = (reason: Error): void => {
      end();
      reject(reason);
    };
    const onEnd = (): void => leave(new PromptCancelled(false));
    const take = (key: Key): void => {
      if (rest !== undefined) rest.push(key);
      else if (key.name === 'ctrl-c') leave(new Interrupted('SIGINT'));
      else if (key.name === 'ctrl-d' || key.name === 'escape') leave(new PromptCancelled(key.name === 'escape'));
      else if (key.name === 'enter') {
        end();
        resolve(text);
      }
      // a terminal in a mode of its own passes these on
      else if (key.name === 'backspace') text = text.slice(0, -1);
      else text += key.text;
    };
    for (const ending of ENDINGS) input.on(ending, onEnd);
    const reader = new KeyReader(input, take, isHidden);
    const waiting = ahead.get(input) ?? [];
    ahead.delete(input);
    for (const key of waiting) take(key);
  });
}
