import type { RefusalKind } from './domain/refusal.js';

/** Every kind of failure with its exit code and meaning. Code, help and documentation are made from this table. */
export const FAILURES = {
  internal: { exitCode: 1, meaning: 'a bug in pit, or an answer that breaks the interface' },
  usage: { exitCode: 2, meaning: 'wrong command line or input, or a guard stopped it; nothing was sent' },
  refused: {
    exitCode: 3,
    meaning:
      'the exchange rejected the request (a code other than 1000), or lacks what the command needs, such as a price in the book',
  },
  credentials: {
    exitCode: 4,
    meaning: 'no profile, key, permission or usable host for this, or keys that the exchange does not accept',
  },
  unreachable: { exitCode: 5, meaning: 'no answer, and nothing was changed by this call' },
  unknown: {
    exitCode: 6,
    meaning: 'a write was sent and its outcome is unknown; the message names the command that settles it',
  },
  limited: { exitCode: 7, meaning: "the exchange's rate limit or lock; the message says when it ends, if known" },
  declined: { exitCode: 8, meaning: 'not confirmed, or nobody could confirm it' },
  partial: {
    exitCode: 9,
    meaning: 'only part was done, or only part of the data could be read; the output says which',
  },
  overdue: { exitCode: 10, meaning: 'the time that you gave ended before what you waited for (pit alert --timeout)' },
} as const;

/** The kind of the error object of a write that a signal ended. Other commands have only the exit code. */
export const INTERRUPTED = 'interrupted';

/** The other exit codes. */
export const OTHER_EXITS = [
  { exitCode: 0, kind: '', meaning: 'done' },
  {
    exitCode: 130,
    kind: INTERRUPTED,
    meaning: 'any command: interrupted (SIGINT, Ctrl-C); only a write prints the error object',
  },
  {
    exitCode: 143,
    kind: INTERRUPTED,
    meaning: 'any command: terminated (SIGTERM); only a write prints the error object',
  },
] as const;

export type FailureKind = keyof typeof FAILURES;

/** A pit command that helps. `argv` leaves out `pit`; `note` says what it is for, as in "See what is open". */
export interface Hint {
  readonly argv: readonly string[];
  readonly note: string;
}

/** What a message tells the user: sentences, commands to run, or both, in the order in which they help. */
export type Advice = string | Hint | readonly (string | Hint)[];

/** Stands in a hint's words for a market, if the place that makes the hint does not know it. */
export const ANY_MARKET = 'MARKET';

/** Stands in a hint's words for the name of the profile in use. */
export const ACTIVE_PROFILE = '{profile}';

/** A hint to run `pit` with these words. */
export function suggest(note: string, ...argv: readonly string[]): Hint {
  return { argv, note };
}

/** The parts of advice; none if it is absent or empty. */
export function adviceParts(advice: Advice | null | undefined): readonly (string | Hint)[] {
  if (advice === null || advice === undefined || advice === '') return [];
  return typeof advice === 'string' || 'argv' in advice ? [advice] : advice;
}

/** Whether a value from JSON is advice. */
export function isAdvice(value: unknown): value is Advice {
  if (Array.isArray(value)) return value.every((part) => !Array.isArray(part) && isAdvice(part));
  if (typeof value !== 'object' || value === null) return typeof value === 'string';
  const { argv, note } = value as Readonly<Record<string, unknown>>;
  return typeof note === 'string' && Array.isArray(argv) && argv.every((word) => typeof word === 'string');
}

/** What a failure says beside its message. */
export interface FailureDetails {
  /** What to do next. */
  hint?: Advice | undefined;
  /** Why the exchange rejected the request, if it did. */
  refusal?: RefusalKind | null | undefined;
  /** The exchange's return code, if it gave one. */
  code?: number | null | undefined;
  /** The client order id of the write. */
  clientId?: string | null | undefined;
  /** The exchange's id of the order that is in the way: it has the client id that was asked for. */
  order?: string | null | undefined;
  /** Whether a halt of the account stopped the write. */
  halted?: boolean | undefined;
  cause?: unknown;
}

/** A failure for the user: what happened, what to do next, and the exit code. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly hints: readonly (string | Hint)[];
  readonly refusal: RefusalKind | null;
  readonly code: number | null;
  readonly clientId: string | null;
  readonly order: string | null;
  readonly halted: boolean;

  constructor(
    readonly kind: FailureKind,
    message: string,
    details: FailureDetails = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.hints = adviceParts(details.hint);
    this.refusal = details.refusal ?? null;
    this.code = details.code ?? null;
    this.clientId = details.clientId ?? null;
    this.order = details.order ?? null;
    this.halted = details.halted ?? false;
  }

  get exitCode(): number {
    return FAILURES[this.kind].exitCode;
  }

  /** The same failure with other hints. */
  hinting(hint: Advice): Failure {
    const { kind, message, refusal, code, clientId, order, halted, cause } = this;
    return new Failure(kind, message, { hint, cause, refusal, code, order, halted, clientId });
  }
}

/** Quotes a word of the user, and cuts it if it is long. */
export function quoted(word: string): string {
  return word.length > 60 ? `"${word.slice(0, 60)}…"` : `"${word}"`;
}

/** A time as local time with its offset from UTC: `2026-11-21 13:00:00 (UTC+01:00)`. */
export function localTimeText(time: number): string {
  const offset = -new Date(time).getTimezoneOffset();
  const offsetText = new Date(Math.abs(offset) * 60_000).toISOString().slice(11, 16);
  const words = new Date(time + offset * 60_000).toISOString().slice(0, 19).replace('T', ' ');
  return `${words} (UTC${offset === 0 ? '' : (offset < 0 ? '-' : '+') + offsetText})`;
}

/** A wrong command line or input; nothing was sent. */
export function usage(message: string, hint?: Advice): Failure {
  return new Failure('usage', message, { hint });
}

/** The signals that end a command, with the exit codes: 128 plus the signal's number. */
const SIGNAL_EXITS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

export type EndingSignal = keyof typeof SIGNAL_EXITS;

/** Ends a command after a signal. Nothing more is printed. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';

  constructor(readonly signal: EndingSignal) {
    super(signal);
  }

  get exitCode(): number {
    return SIGNAL_EXITS[this.signal];
  }
}

/** What a signal leaves of a write that was being sent. */
export interface Interruption {
  readonly advice: Advice;
  /** Names the write in the journal. */
  readonly clientId?: string;
}

/** Ends pit with the exit code of a program that it ran for the user and that has printed everything itself. */
export class CommandEnded extends Error {
  override readonly name = 'CommandEnded';

  constructor(readonly exitCode: number) {
    super(`it ended with ${exitCode}`);
  }
}

/** Whether something was aborted: a wait, a stream, a request. */
export function isAbort(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === 'AbortError';
}

/** Converts anything thrown to a failure. What is neither a Failure nor an abort is a bug in pit. */
export function asFailure(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  if (isAbort(thrown)) {
    const hint = suggest('If it was placing or cancelling something, find out', 'resolve');
    return new Failure('internal', 'The command was ended before it was done.', { hint, cause: thrown });
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  if (thrown instanceof Error && 'code' in thrown && thrown.code === 'MODULE_NOT_FOUND') {
    const hint = 'Install pit again. In a clone of the repository, run npm ci.';
    return new Failure('internal', 'A package that pit needs is not installed.', { hint, cause: thrown });
  }
  if (thrown instanceof Error && 'code' in thrown && thrown.code === 'PIT_REPLACED') {
    const hint = ['Start it again.', suggest('If it was placing or cancelling something, find out', 'resolve')];
    return new Failure('internal', 'An update replaced or removed pit while it ran.', { hint, cause: thrown });
  }
  return new Failure('internal', `pit has a bug: ${message}`, {
    hint: 'Run it again with --verbose and report the output.',
    cause: thrown,
  });
}

/** Returns undefined if the read fails with a Failure. */
export async function tryRead<Value>(ask: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** The Failure in the place of a value, as in `read().catch(failureOnly)`. Throws anything else: a defect, or a signal. */
export function failureOnly(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  throw thrown;
}

/** Whether an error has a code, as every error of the system and every Failure has. */
export function hasErrorCode(thrown: unknown): thrown is Error & { readonly code: unknown } {
  return thrown instanceof Error && 'code' in thrown;
}

/** The system's code of an error, like `EACCES`; `unknown error` if it has none. */
export function systemErrorCode(thrown: unknown): string {
  return hasErrorCode(thrown) ? String(thrown.code) : 'unknown error';
}

/** A sentence as a part of another one. */
export function withoutPeriod(sentence: string): string {
  return sentence.replace(/\.$/, '');
}

/** Quotes a text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
