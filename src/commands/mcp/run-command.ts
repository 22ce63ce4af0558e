import { Readable, Writable } from 'node:stream';
import type { CliContext } from '../../cli/context.js';
import { type Program, runAndReport } from '../../cli/run.js';
import { withMarks } from '../../domain/quotation.js';
import { asFailure, INTERRUPTED } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import { CommandHost } from '../../platform/programs/command-host.js';
import type { Redaction } from '../../platform/redaction.js';
import { safe, shortened } from '../../terminal/text.js';

/** In cells. The longest messages of pit and of exchanges have fewer. */
const LONGEST_REMARK = 2_000;

/** Marks a text that the exchange, or a stranger through it, has chosen. The instructions of the server say what it means. */
export const FROM_OUTSIDE = '[outside]';

/** A warning of a command, as stderr has it with `--json`. */
export interface PrintedWarning {
  readonly message: string;
  readonly hint: string | null;
}

/** The error object of the contract. */
export interface ErrorObject extends PrintedWarning {
  readonly kind: string;
  readonly exitCode: number;
  readonly code: number | null;
  readonly clientId: string | null;
  readonly order?: string;
  readonly halted?: boolean;
}

/** What a command line gives to a program that runs it with `--json`. */
export interface CommandResult {
  /** The document of stdout; undefined if there is none. */
  readonly data: unknown;
  readonly warnings: readonly PrintedWarning[];
  /** Null if the command was done. */
  readonly error: ErrorObject | null;
}

/**
 * Runs a command line of pit in this process, as `pit shell` does, and reads what it prints with `--json`. It cannot ask a question.
 *
 * @param signal interrupts it as Ctrl-C does
 */
export async function runCommand(
  host: Host,
  program: Program,
  words: readonly string[],
  signal: AbortSignal,
): Promise<CommandResult> {
  const output = new Collector();
  const errors = new Collector();
  const command = new CommandHost(host, ['--json', ...words], {
    input: Readable.from([]),
    output,
    errors,
  });
  const interrupt = () => void command.interrupt('SIGINT');
  if (signal.aborted) interrupt();
  signal.addEventListener('abort', interrupt);
  try {
    const exitCode = await runAndReport(command.host, program);
    const remarks = jsonLines(errors.text, host.redaction);
    const error = remarks.at(-1)?.error;
    return {
      data: documentOf(host.redaction.applyToData(output.text)),
      warnings: remarks.flatMap(({ warning }) => (warning === undefined ? [] : harmlessRemark(warning))),
      error: error === undefined ? interruptedBy(exitCode) : harmlessRemark(error),
    };
  } finally {
    signal.removeEventListener('abort', interrupt);
    command.end();
  }
}

/** The fields of answers that may quote the exchange between words of pit. Others hold its text alone, and schemas mark them. */
const QUOTING: ReadonlySet<string> = new Set(['message', 'reason', 'event']);

/**
 * The document on stdout; undefined without one. A list that was interrupted does not end its line. Texts may come from the
 * exchange: without what hides or fakes text, and cut as on a terminal.
 */
function documentOf(text: string): unknown {
  if (!text.endsWith('\n')) return undefined;
  return JSON.parse(text, (name: string, value: unknown) => {
    if (typeof value !== 'string') return value;
    return shortened(QUOTING.has(name) ? markedSafe(value) : safe(value));
  });
}

/** A line of stderr; a note has neither. */
interface Remark {
  readonly warning?: PrintedWarning;
  readonly error?: ErrorObject;
}

/** Secrets are masked in each text: in the line, the mask of one could take the end of another text with it. */
function jsonLines(text: string, redaction: Redaction): Remark[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line, (_name, value) => (typeof value === 'string' ? redaction.apply(value) : value)));
}

/** A remark as harmless as a document, in which what the exchange said is marked. */
function harmlessRemark<Kind extends PrintedWarning>(remark: Kind): Kind {
  const { message, hint } = remark;
  const text = (one: string) => shortened(markedSafe(one), LONGEST_REMARK);
  return { ...remark, message: text(message), hint: hint && text(hint) };
}

/** A message without what hides or fakes text, in which the words of the exchange are marked. */
function markedSafe(message: string): string {
  return withMarks(safe(message), `${FROM_OUTSIDE} "`, '"');
}

/** The error object of what a tool throws, as harmless as that of a command. */
export function errorOf(thrown: unknown, { host, output }: CliContext): ErrorObject {
  const { kind, message, hints, exitCode, code, clientId, order, halted } = asFailure(thrown);
  const text = (one: string) => shortened(markedSafe(host.redaction.apply(one)), LONGEST_REMARK);
  const hint = hints.length === 0 ? null : text(output.textOf(hints));
  const rare = { ...(order === null ? {} : { order }), ...(halted ? { halted } : {}) };
  return { kind, message: text(message), hint, exitCode, code, clientId, ...rare };
}

/** A command that only reads prints nothing when it is interrupted. Null if it was done. */
function interruptedBy(exitCode: number): ErrorObject | null {
  if (exitCode === 0) return null;
  return { kind: INTERRUPTED, message: 'It was cancelled.', hint: null, exitCode, code: null, clientId: null };
}

/** Keeps the text that is written to it. */
class Collector extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: string, written: () => void): void {
    this.#chunks.push(chunk);
    written();
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}
