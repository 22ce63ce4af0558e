import { duplicateIds } from '../../trading/algos/record/snapshot.js';
import type { AlgoEvent } from '../../trading/algos/run/algo-voice.js';
import { AlertActions, execWords } from '../alert/actions.js';
import type { Context } from '../session/command.js';
import { eventRow } from './view/algo-event.js';

/** The events that `--exec` and `--notify` report. */
const REPORTED: ReadonlySet<AlgoEvent['event']> = new Set([
  ...(['triggered', 'filled', 'blind', 'seen', 'paused', 'rejected', 'unprotected', 'note', 'ended'] as const),
]);

/** Runs the program of each algo order, and shows notifications, for what happens to it. */
export class AlgoActions {
  readonly #context: Context;
  readonly #log: ((line: string) => void) | undefined;
  readonly #actions = new Map<string, Promise<AlertActions | undefined>>();

  /** @param log takes what programs print, if nobody reads stderr */
  constructor(context: Context, log: ((line: string) => void) | undefined) {
    this.#context = context;
    this.#log = log;
  }

  take(event: AlgoEvent): void {
    const { id, market, text, snapshot } = event;
    const { exec, notify } = snapshot.terms;
    if ((exec === null && !notify) || !REPORTED.has(event.event)) return;
    const made = this.#actions.get(id) ?? this.#prepare(exec, notify);
    this.#actions.set(id, made);
    const document = { ...eventRow(event), state: snapshot.state, duplicates: duplicateIds(snapshot) };
    void made.then((actions) => actions?.start({ document, title: `${id} ${market}`, text }));
  }

  async #prepare(exec: string | null, notify: boolean): Promise<AlertActions | undefined> {
    const line = { hide: () => undefined, show: () => undefined };
    try {
      const words = exec === null ? undefined : execWords(exec);
      return await AlertActions.prepare(this.#context, { exec: words, notify }, line, this.#log);
    } catch (error) {
      // an algo order goes on without its program
      const message = error instanceof Error ? error.message : String(error);
      this.#context.output.warn(message);
      this.#log?.(message);
      return undefined;
    }
  }

  async done(): Promise<void> {
    for (const actions of await Promise.all(this.#actions.values())) await actions?.done();
  }

  announceRest(): void {
    for (const made of this.#actions.values()) void made.then((actions) => actions?.announceRest());
  }

  leave(): void {
    for (const made of this.#actions.values()) void made.then((actions) => actions?.leave());
  }
}
