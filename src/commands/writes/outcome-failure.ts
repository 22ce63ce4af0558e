import { counted, grouped } from '../../domain/decimal.js';
import { type Advice, adviceParts, Failure, type FailureDetails, type FailureKind, suggest } from '../../errors.js';
import type { Answer } from '../../terminal/answer.js';

/** How many of a command's writes ended each way. */
export interface WriteCounts {
  readonly done: number;
  /** They were sent, and whether they were carried out is unknown. */
  readonly unknown: number;
  /** They were rejected, or could not be sent. */
  readonly refused: number;
  /** What is still to do, or could not be read. */
  readonly left: number;
}

/** To begin with: nothing done, unknown, refused or left. */
export const NO_WRITES: WriteCounts = { done: 0, unknown: 0, refused: 0, left: 0 };

/** What became of a command's writes, and what the user can do next. */
export interface Outcomes extends WriteCounts, Omit<FailureDetails, 'hint' | 'cause'> {
  readonly message: string;
  /** Why nothing was done, if there is one cause (default: `partial`). It decides the exit code only if nothing was done. */
  readonly why?: FailureKind | null | undefined;
  /** The journal's records of the writes whose outcome is unknown. */
  readonly records?: readonly string[];
  /** What does the rest. */
  readonly again: Advice;
}

/**
 * The failure of a command that wrote several times; undefined if all is done. Any unknown 6; none done 9, or the exit code of the one
 * cause, such as 3 for a rejection; otherwise 9.
 */
export function outcomeFailure(outcomes: Outcomes): Failure | undefined {
  const { done, unknown, refused, left, message, why, records = [], again, ...details } = outcomes;
  if (unknown + refused + left === 0) return undefined;
  const kind = unknown > 0 ? 'unknown' : done > 0 ? 'partial' : (why ?? 'partial');
  // one record of several writes would settle only a part
  const settled = unknown === 1 ? records : [];
  const hint = [...(records.length === 0 ? [] : [suggest('Find out', 'resolve', ...settled)]), ...adviceParts(again)];
  return new Failure(kind, message, { ...details, hint });
}

/** What the orders of a command should be. */
type Wanted = 'placed' | 'cancelled';

/** `19 of 20 orders placed, 1 refused`. What is left was not sent. */
export function countsText(wanted: Wanted, { done, unknown, refused, left }: WriteCounts): string {
  const count = (value: number) => grouped(String(value));
  return [
    `${count(done)} of ${counted(done + unknown + refused + left, 'order')} ${wanted}`,
    ...(refused > 0 ? [`${count(refused)} refused`] : []),
    ...(unknown > 0 ? [`${count(unknown)} unknown`] : []),
    ...(left > 0 ? [`${count(left)} not sent`] : []),
  ].join(', ');
}

/**
 * What became of the orders of a command, if not all were done: `None of the 3 orders was placed: price is invalid.`
 * @param reason why the first of them was not done, or is unknown; null if nothing says it
 */
export function outcomeText(wanted: Wanted, counts: WriteCounts, reason: string | null): string {
  const { done, unknown, refused, left } = counts;
  const total = done + unknown + refused + left;
  const why = reason === null ? '' : `: ${reason}`;
  if (unknown > 0) {
    if (total === 1) return `It is unknown whether the order was ${wanted}${why}.`;
    const seen = reason === null ? '' : ` (${reason})`;
    return `It is unknown whether every order was ${wanted}: ${countsText(wanted, counts)}${seen}.`;
  }
  if (done > 0) return `${countsText(wanted, counts)}${why}.`;
  return `${total === 1 ? 'The order was not' : `None of the ${grouped(String(total))} orders was`} ${wanted}${why}.`;
}

/** The answer of a command with its failure. Throws that of a command that did nothing: it has no answer. */
export function answerOrThrow<Data>(answer: Answer<Data>, failure: Failure | undefined): Answer<Data> {
  if (failure === undefined) return answer;
  if (failure.kind !== 'unknown' && failure.kind !== 'partial') throw failure;
  return { ...answer, failure };
}
