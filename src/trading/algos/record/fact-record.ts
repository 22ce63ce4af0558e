import * as v from 'valibot';
import { valueInLine } from '../../journal/files.js';
import { decodeLine, time } from '../plan/line-schemas.js';
import { CHILD_LINES, type ChildLine, isOfAlgo, type RecordedChild, recordedChildren } from './child-lines.js';
import { type AlgoFact, type AlgoFacts, FACT, foldFacts, withFact } from './facts.js';

/** Something that the user was told and that changes nothing. Its time is in milliseconds since the Unix epoch, by the exchange's clock. */
const SAID = v.object({ said: v.string(), time });

export type SaidLine = v.InferOutput<typeof SAID>;

/** What a line of a record is. */
type RecordLine = AlgoFact | ChildLine | SaidLine;

/** A line that is no fact. */
export type BesideFacts = Exclude<RecordLine, AlgoFact>;

/** The kinds of lines, by a part that no other kind has. */
const LINES = { fact: FACT, ...CHILD_LINES, said: SAID };

const LINE: v.GenericSchema<unknown, RecordLine> = v.lazy((value) => {
  const isPart = (name: string): name is keyof typeof LINES =>
    typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  return LINES[Object.keys(LINES).find(isPart) ?? 'fact'];
});

const LINE_FEED = 10;

/** The record of an algo order as it was read. */
export interface FactRecord {
  readonly id: string;
  /** Undefined if the record has a {@link problem}. */
  readonly facts: AlgoFacts | undefined;
  /** Why nothing may be done for it, as a part of a sentence; null if the record is as pit wrote it. */
  readonly problem: string | null;
  /** In the order in which they were first named. */
  readonly children: readonly RecordedChild[];
  readonly said: readonly SaidLine[];
  /** When its last fact was written, by the exchange's clock, in milliseconds since the Unix epoch. */
  readonly lastFactTime: number;
  /** How many lines were cut off: nothing was done that rests on them. */
  readonly torn: number;
  /** Whether it has ended and was put away. */
  readonly isPutAway: boolean;
}

/** The record of an algo order that cannot be read. */
export function unreadRecord(id: string, problem: string): FactRecord {
  return { id, problem, facts: undefined, children: [], said: [], lastFactTime: 0, torn: 0, isPutAway: false };
}

/** What the lines of a record come to. */
interface RecordLines {
  readonly facts: AlgoFacts | undefined;
  /** The line that says that it began. */
  readonly began: string | undefined;
  readonly children: readonly ChildLine[];
  readonly said: readonly SaidLine[];
  readonly lastFactTime: number;
  readonly torn: number;
  /** Whether a line is not as pit wrote it, or is of another algo order. */
  readonly isDamaged: boolean;
}

/** The bytes of a record without a problem, up to the end of a line, and what these lines come to. */
export interface KnownRecord {
  readonly bytes: Buffer;
  readonly lines: RecordLines;
}

/**
 * The record of an algo order in the bytes of its file.
 * @param isOwnLine whether this pit has written a first line
 * @param known from the last time that it was read: if the file still begins with these bytes, only those behind them are decoded
 * @returns the record, and what is `known` the next time; nothing is of a record that has a problem, which is decoded whole again
 */
export function recordIn(
  bytes: Buffer,
  { id, file, isPutAway }: { readonly id: string; readonly file: string; readonly isPutAway: boolean },
  isOwnLine: (line: string) => boolean,
  known?: KnownRecord,
): { readonly record: FactRecord; readonly known: KnownRecord | undefined } {
  const before = known !== undefined && beginsWith(bytes, known.bytes) ? known : undefined;
  const lines = linesIn(bytes.toString('utf8', before?.bytes.length ?? 0), id, before?.lines);
  const { facts, began, isDamaged } = lines;
  const problem =
    isDamaged || facts === undefined
      ? `its record is damaged: ${file}`
      : began === undefined || !isOwnLine(began)
        ? `pit did not write its terms, or they were changed: ${file}`
        : null;
  const record = {
    id,
    facts: problem === null ? facts : undefined,
    problem,
    children: recordedChildren(lines.children),
    said: lines.said,
    lastFactTime: lines.lastFactTime,
    torn: lines.torn,
    isPutAway,
  };
  if (problem !== null) return { record, known: undefined };
  // a line without its end may go on
  return { record, known: bytes.at(-1) === LINE_FEED ? { bytes, lines } : before };
}

function beginsWith(bytes: Buffer, beginning: Buffer): boolean {
  return bytes.subarray(0, beginning.length).equals(beginning);
}

/** What the lines in a text come to, after those that were read before. */
function linesIn(text: string, id: string, before: RecordLines | undefined): RecordLines {
  const read = text.split('\n').filter((line) => line !== '');
  const decoded = read.map((one) => ({ text: one, line: decodeLine(LINE, one) }));
  const lines = decoded.flatMap(({ line }) => line ?? []);
  const unread = decoded.filter(({ line }) => line === undefined);
  const torn = unread.filter((one) => isCutOff(one.text)).length;
  const newFacts = lines.filter((line) => 'fact' in line);
  const children = lines.filter((line): line is ChildLine => !('fact' in line) && !('said' in line));
  const facts = before?.facts === undefined ? foldFacts(newFacts) : newFacts.reduce(withFact, before.facts);
  const isOther = children.some((line) => !isOfAlgo(line, id)) || facts?.began.terms.id !== id;
  const began = decoded.find(({ line }) => line !== undefined && 'fact' in line && line.fact === 'began');
  return {
    facts,
    began: before?.began ?? began?.text,
    children: [...(before?.children ?? []), ...children],
    said: [...(before?.said ?? []), ...lines.filter((line) => 'said' in line)],
    lastFactTime: newFacts.at(-1)?.time ?? before?.lastFactTime ?? 0,
    torn: torn + (before?.torn ?? 0),
    isDamaged: isOther || unread.length > torn,
  };
}

/**
 * Whether a line was cut off: by a power failure or a full disk, before anything rested on it. A line whose last character or line feed is
 * another one is whole without that.
 */
function isCutOff(line: string): boolean {
  // behind an object within it
  if (line.endsWith('}')) return valueInLine(`${line}}`) !== undefined;
  const rest = line.slice(0, -1);
  return [rest, `${rest}}`].every((text) => decodeLine(LINE, text) === undefined);
}
