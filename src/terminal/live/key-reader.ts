import { StringDecoder } from 'node:string_decoder';
import type { TerminalInput } from '../../platform/host.js';
import { type Key, keysOfRest, patienceMs, readKeys } from './keys.js';

/** Reads keys one by one until it is ended: the only reader of what a terminal sends, besides inquirer and the shell's line. */
export class KeyReader {
  readonly #input: TerminalInput;
  readonly #take: (key: Key) => void;
  readonly #isRaw: boolean;

  readonly #decoder = new StringDecoder('utf8');
  #rest = '';
  #timer: NodeJS.Timeout | undefined;

  /** @param isRaw whether each key comes at once and without echo; otherwise the terminal itself edits whole lines */
  constructor(input: TerminalInput, take: (key: Key) => void, isRaw = true) {
    this.#input = input;
    this.#take = take;
    this.#isRaw = isRaw;

    if (isRaw) input.setRawMode?.(true);
    input.on('data', this.#onData).resume();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#input.off('data', this.#onData).pause();
    if (this.#isRaw) this.#input.setRawMode?.(false);
  }

  readonly #onData = (chunk: Buffer | string): void => {
    clearTimeout(this.#timer);
    const { keys, rest } = readKeys(this.#rest + (typeof chunk === 'string' ? chunk : this.#decoder.write(chunk)));
    this.#rest = rest;
    if (rest !== '') this.#timer = setTimeout(() => this.#endRest(), patienceMs(rest));
    for (const key of keys) this.#take(key);
  };

  #endRest(): void {
    const keys = keysOfRest(this.#rest);
    this.#rest = '';
    for (const key of keys) this.#take(key);
  }
}
