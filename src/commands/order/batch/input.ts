import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Context } from '../../../cli/context.js';
import { codeOf } from '../../../config/private.js';
import { Decimal } from '../../../domain/decimal.js';
import { Failure, usage } from '../../../errors.js';
import { readLines } from '../../../trading/batches/file.js';
import type { Weight } from '../../../trading/batches/ladder.js';
import type { BatchLine } from '../../../trading/journal/intent.js';
import type { LadderWord } from './ladder-word.js';

/** The flags that say which orders are meant. */
interface Flags {
  readonly file: string | undefined;
  readonly ladder: LadderWord | undefined;
  readonly amount: string | undefined;
  readonly weight: Weight | undefined;
  readonly resume: string | undefined;
}

/** Which orders are meant, before anything was asked of the exchange. */
export type Wish =
  | { readonly kind: 'lines'; readonly lines: readonly BatchLine[] }
  | { readonly kind: 'ladder'; readonly ladder: LadderWord; readonly total: Decimal; readonly weight: Weight }
  | { readonly kind: 'resume'; readonly job: string; readonly lines: readonly BatchLine[] | undefined };

/** Far more than any job can take a day for. */
const MOST_BYTES = 32 * 2 ** 20;

/** Refuses flags that do not go together. Throws Failure `usage`. */
export function requireSense({ file, ladder, amount, weight, resume }: Flags): void {
  if (file !== undefined && ladder !== undefined)
    throw usage('--file and --ladder exclude each other.', 'Give one of them.');
  if (resume !== undefined && (ladder ?? amount ?? weight) !== undefined)
    throw usage('--resume goes on with the orders that the job has.', 'Give no ladder with it.');
  if (file === undefined && ladder === undefined && resume === undefined)
    throw usage('There is nothing to place.', 'Give --file FILE, or --ladder FROM:TO:N with --amount TOTAL.');
  if (ladder !== undefined && amount === undefined)
    throw usage('A ladder needs --amount.', 'It is what all its orders come to at most, in the base coin.');
  if (ladder === undefined && (amount ?? weight) !== undefined)
    throw usage('--amount and --weight belong to --ladder.', 'A file says the amount of each order.');
}

/** Reads what the flags name. Throws Failure `usage`, and leaves the time that stdin takes out of the budget. */
export async function readWish({ host, budget }: Context, flags: Flags): Promise<Wish> {
  const { file, ladder, amount = '0', weight = 'equal', resume } = flags;
  if (ladder !== undefined) return { kind: 'ladder', ladder, total: Decimal.of(amount), weight };
  const lines = file === undefined ? undefined : await budget.outside(() => linesOf(host, file));
  if (resume !== undefined) return { kind: 'resume', job: resume, lines };
  return { kind: 'lines', lines: lines ?? [] };
}

async function linesOf({ input }: Context['host'], file: string): Promise<BatchLine[]> {
  if (file !== '-') return readLines(await readAll(createReadStream(file), file));
  if (input.isTTY === true) throw usage('--file - reads a pipe, and stdin is a terminal.', 'Name the file instead.');
  return readLines(await readAll(input, 'stdin'));
}

async function readAll(stream: Readable, name: string): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of stream) {
      chunks.push(Buffer.from(chunk));
      length += chunks.at(-1)?.length ?? 0;
      if (length > MOST_BYTES) throw usage(`${name} is longer than ${MOST_BYTES / 2 ** 20} MB.`, 'Split it.');
    }
  } catch (error) {
    throw error instanceof Failure
      ? error
      : usage(`${name} could not be read (${codeOf(error)}).`, 'It must be a file that you may read, or - for stdin.');
  }
  return Buffer.concat(chunks).toString('utf8');
}
