/** Every kind of failure with how pit ends: the one table that code, help and README are made from. */
export const FAILURES = {
  internal: { exitCode: 1, meaning: 'a defect in pit, or the answer was not what the interface says' },
  usage: { exitCode: 2, meaning: 'the command line or an input is wrong, or a guard holds; nothing was sent' },
  refused: { exitCode: 3, meaning: 'the exchange answered with a code other than 1000' },
  credentials: { exitCode: 4, meaning: 'no profile, key, permission or usable host for this' },
  unreachable: { exitCode: 5, meaning: 'no answer, and nothing was changed by this call' },
  unknown: {
    exitCode: 6,
    meaning: 'a write left and its outcome could not be found out; the message names the command that settles it',
  },
  limited: { exitCode: 7, meaning: "the exchange's rate limit or lock; when it ends, if known" },
  declined: { exitCode: 8, meaning: 'not confirmed, or a confirmation was needed where nobody could give it' },
  partial: {
    exitCode: 9,
    meaning: 'some of several things were done, or not all could be had; the output says which',
  },
} as const;

/** How pit ends where nothing failed. */
export const OTHER_ENDS = [
  { exitCode: 0, meaning: 'done' },
  { exitCode: 130, meaning: 'interrupted (SIGINT, Ctrl-C)' },
  { exitCode: 143, meaning: 'terminated (SIGTERM)' },
] as const;

export type FailureKind = keyof typeof FAILURES;

interface FailureDetails {
  /** The next step, as a sentence or a command to type. */
  hint?: string;
  /** The exchange's own return code, when it gave one. */
  code?: number;
  /** The client order id of the write concerned. */
  clientId?: string;
  cause?: unknown;
}

/** A failure that the user is told about: what happened, what to do next, and the exit code. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly hint: string | null;
  readonly code: number | null;
  readonly clientId: string | null;

  constructor(
    readonly kind: FailureKind,
    message: string,
    details: FailureDetails = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.hint = details.hint ?? null;
    this.code = details.code ?? null;
    this.clientId = details.clientId ?? null;
  }

  get exitCode(): number {
    return FAILURES[this.kind].exitCode;
  }

  /** The same failure with its hint in other words. */
  hinting(reword: (hint: string) => string): Failure {
    const { kind, message, hint, code, clientId, cause } = this;
    if (hint === null) return this;
    const details = { hint: reword(hint), cause, ...(code === null ? {} : { code }) };
    return new Failure(kind, message, clientId === null ? details : { ...details, clientId });
  }
}

/** A word of the user's as a message quotes it: a pasted page would bury what is said about it. */
export function quoted(word: string): string {
  return word.length > 60 ? `"${word.slice(0, 60)}…"` : `"${word}"`;
}

/** A wrong command line or input; nothing was sent. */
export function usage(message: string, hint?: string): Failure {
  return new Failure('usage', message, hint === undefined ? {} : { hint });
}

/** Ended by a signal: nothing more is said, the exit code is 128 plus the signal's number. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';

  constructor(readonly signal: 'SIGINT' | 'SIGTERM') {
    super(signal);
  }

  get exitCode(): number {
    return this.signal === 'SIGINT' ? 130 : 143;
  }
}

/** A command that was run on the user's behalf has ended: it has said what there was to say, and its exit code is pit's. */
export class CommandEnded extends Error {
  override readonly name = 'CommandEnded';

  constructor(readonly exitCode: number) {
    super(`it ended with ${exitCode}`);
  }
}

/** Any thrown thing as a failure: what is not one already is a defect in pit. */
export function asFailure(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  if (thrown instanceof Error && 'code' in thrown && thrown.code === 'MODULE_NOT_FOUND') {
    const hint = 'Install it again, in its own folder: npm ci';
    return new Failure('internal', 'A package that pit needs is not installed.', { hint, cause: thrown });
  }
  return new Failure('internal', `pit met a defect: ${message}`, {
    hint: 'Run it again with --verbose and report what it prints.',
    cause: thrown,
  });
}
