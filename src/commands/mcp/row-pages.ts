import { usage } from '../../errors.js';
import { integer, optional, text } from './parameters.js';
import type { CommandResult } from './run-command.js';

const DEFAULT_ROWS = 50;
const MOST_ROWS = 200;

/** The parameters of a tool that lists rows. */
export const ROW_PARAMETERS = {
  limit: optional(integer(`up to ${MOST_ROWS} (default: ${DEFAULT_ROWS})`)),
  // the instructions of the server say what it is
  cursor: optional(text('')),
};

interface RowArguments {
  readonly limit?: string | undefined;
  readonly cursor?: string | undefined;
}

/** Where a list continues. A cursor holds it, so that the server keeps nothing. */
export interface Position {
  /** The page of the exchange's list, from 1. */
  readonly page: number;
  /** The time of the last row, in milliseconds since the Unix epoch; 0 for rows without an order of time. */
  readonly time: number;
  /** How many rows came before; with a time, how many of that time. */
  readonly skip: number;
}

/** What a call continues. Throws Failure `usage` for a cursor that the tool has not given. */
export function positionOf(tool: string, { cursor }: Pick<RowArguments, 'cursor'>): Position | undefined {
  if (cursor === undefined) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const [, name, page = '', time = '', skip = ''] = /^([a-z_]+)\.(\d{1,7})\.(\d{1,15})\.(\d{1,9})$/.exec(text) ?? [];
  if (name === tool) return { page: Number(page), time: Number(time), skip: Number(skip) };
  throw usage(`The cursor is not one of ${tool}.`, 'Pass nextCursor of its last answer unchanged, or no cursor.');
}

export function cursorOf(tool: string, { page, time, skip }: Position): string {
  return Buffer.from(`${tool}.${page}.${time}.${skip}`, 'latin1').toString('base64url');
}

/** How many rows are wanted. Throws Failure `usage` for what is no number from 1 to 200. */
export function limitOf({ limit }: Pick<RowArguments, 'limit'>): number {
  if (limit === undefined) return DEFAULT_ROWS;
  const rows = /^\d{1,3}$/.test(limit) ? Number(limit) : 0;
  if (rows >= 1 && rows <= MOST_ROWS) return rows;
  throw usage(`limit must be a whole number from 1 to ${MOST_ROWS}, not ${limit}.`);
}

/** A part of the rows of a command; the whole result if it has no rows. */
export interface RowPage extends CommandResult {
  readonly nextCursor?: string | null;
}

/** The rows of an answer from the cursor on, up to the limit. Throws Failure `usage` for a wrong limit or cursor. */
export function pageOfRows(tool: string, given: RowArguments, result: CommandResult): RowPage {
  if (!Array.isArray(result.data)) return result;
  const { skip } = positionOf(tool, given) ?? { skip: 0 };
  const end = skip + limitOf(given);
  const nextCursor = end < result.data.length ? cursorOf(tool, { page: 1, time: 0, skip: end }) : null;
  return { ...result, data: result.data.slice(skip, end), nextCursor };
}

interface TimedRow {
  readonly time: string | null;
}

/**
 * The same for rows that are sorted by time, newest first. It continues after the last row that was given, even if the list has
 * newer rows by then.
 *
 * @param options.hasPages whether the exchange lists them page by page: then an empty page is the end
 */
export function pageNewestFirst(
  tool: string,
  given: RowArguments,
  result: CommandResult,
  { hasPages }: { readonly hasPages: boolean },
): RowPage {
  if (!Array.isArray(result.data)) return result;
  const { page, time, skip } = positionOf(tool, given) ?? { page: 1, time: Number.POSITIVE_INFINITY, skip: 0 };
  const all: readonly TimedRow[] = result.data;
  const notNewer = all.filter((row) => timeOf(row) <= time);
  const older = notNewer.slice(Math.min(skip, notNewer.filter((row) => timeOf(row) === time).length));
  const data = older.slice(0, limitOf(given));
  return { ...result, data, nextCursor: nextCursor() };

  function nextCursor(): string | null {
    const last = data.at(-1);
    const isPageDone = data.length === older.length;
    if (isPageDone && (!hasPages || all.length === 0)) return null;
    const timeOfLast = last === undefined ? time : timeOf(last);
    const sameTime = data.filter((row) => timeOf(row) === timeOfLast).length + (timeOfLast === time ? skip : 0);
    return cursorOf(tool, { page: isPageDone ? page + 1 : page, time: timeOfLast, skip: isPageDone ? 0 : sameTime });
  }
}

/** A row without a time stays where it is: only its page says how old it is. */
function timeOf({ time }: TimedRow): number {
  return time === null ? 0 : Date.parse(time);
}
