import { Readable, Writable } from 'node:stream';
import type { CliContext } from '../../cli/context.js';
import { type Program, runAndReport } from '../../cli/run.js';
import { asFailure, INTERRUPTED } from '../../errors.js';
import { CommandHost } from '../../platform/command-host.js';
import type { Host } from '../../platform/host.js';
import { safe, shortened } from '../../terminal/text.js';

/** In cells. The longest messages of pit and of exchanges have fewer. */
const LONGEST_REMARK = 2_000;

/** A warning of a command, as stderr has it with `--json`. */
export interface Warning {
  readonly message: string;
  readonly hint: string | null;
}

/** The error object of the contract. */
export interface ErrorObject extends Warning {
  readonly kind: string;
  readonly exitCode: number;
  readonly code: number | null;
  readonly clientId: string | null;
  readonly halted?: boolean;
}

/** What a command line gives to a program that runs it with `--json`. */
export interface CommandResult {
  /** The document of stdout; undefined if there is none. */
  readonly data: unknown;
  readonly warnings: readonly Warning[];
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
  const command = new CommandHost(host, ['--json', ...words], { input: Readable.from([]), output, errors });
  const interrupt = () => void command.interrupt('SIGINT');
  if (signal.aborted) interrupt();
  signal.addEventListener('abort', interrupt);
  try {
    const exitCode = await runAndReport(command.host, program);
    const remarks = jsonLines(host.redaction.apply(errors.text));
    return {
      data: documentOf(host.redaction.applyToData(output.text)),
      warnings: remarks.flatMap(({ warning }) => warning ?? []),
      error: remarks.at(-1)?.error ?? (exitCode === 0 ? null : interrupted(exitCode)),
    };
  } finally {
    signal.removeEventListener('abort', interrupt);
    command.end();
  }
}

/** The document on stdout; undefined without one. A list that was interrupted does not end its line. */
function documentOf(text: string): unknown {
  return text.endsWith('\n') ? JSON.parse(text, harmless()) : undefined;
}

/** A line of stderr; a note has neither. */
interface Remark {
  readonly warning?: Warning;
  readonly error?: ErrorObject;
}

function jsonLines(text: string): Remark[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line, harmless(LONGEST_REMARK)));
}

/** Texts may come from the exchange: without what hides or fakes text, and cut as on a terminal. */
function harmless(longest?: number) {
  return (_key: string, value: unknown): unknown =>
    typeof value === 'string' ? shortened(safe(value), longest) : value;
}

/** The error object of what a tool throws, as harmless as that of a command. */
export function errorOf(thrown: unknown, { host, output }: CliContext): ErrorObject {
  const { kind, message, hints, exitCode, code, clientId, halted } = asFailure(thrown);
  const text = (one: string) => shortened(safe(host.redaction.apply(one)), LONGEST_REMARK);
  const hint = hints.length === 0 ? null : text(output.textOf(hints));
  return { kind, message: text(message), hint, exitCode, code, clientId, ...(halted ? { halted } : {}) };
}

/** A command that only reads prints nothing when it is interrupted. */
function interrupted(exitCode: number): ErrorObject {
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
