/** Every kind of failure with its exit code: the one table that code and documentation read. */
export const EXIT_CODES = {
  internal: 1,
  usage: 2,
  refused: 3,
  credentials: 4,
  unreachable: 5,
  unknown: 6,
  limited: 7,
  declined: 8,
  partial: 9,
} as const;

export type FailureKind = keyof typeof EXIT_CODES;

export interface FailureDetails {
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
    return EXIT_CODES[this.kind];
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
