import * as v from 'valibot';
import { valueInLine } from '../../journal/files.js';
import { decodeLine, time } from '../plan/line-schemas.js';
import { CHILD_LINES, type ChildLine, isOfAlgo, type RecordedChild, recordedChildren } from './child-lines.js';
import { FACT } from './fact-line.js';
import { type AlgoFact, type AlgoFacts, foldFacts } from './facts.js';

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

/**
 * The record of an algo order in the text of its file.
 * @param isOwnLine whether this pit has written a first line
 */
export function recordIn(
  text: string,
  { id, file, isPutAway }: { readonly id: string; readonly file: string; readonly isPutAway: boolean },
  isOwnLine: (line: string) => boolean,
): FactRecord {
  const read = text.split('\n').filter((line) => line !== '');
  const decoded = read.map((one) => ({ text: one, line: decodeLine(LINE, one) }));
  const lines = decoded.flatMap(({ line }) => line ?? []);
  const unread = decoded.filter(({ line }) => line === undefined);
  const torn = unread.filter((one) => isCutOff(one.text)).length;
  const facts = lines.filter((line) => 'fact' in line);
  const ofChildren = lines.filter((line): line is ChildLine => !('fact' in line) && !('said' in line));
  const known = foldFacts(facts);
  const isOther = ofChildren.some((line) => !isOfAlgo(line, id)) || known?.began.terms.id !== id;
  const isDamaged = known === undefined || isOther || unread.length > torn;
  const began = decoded.find(({ line }) => line !== undefined && 'fact' in line && line.fact === 'began');
  const problem = isDamaged
    ? `its record is damaged: ${file}`
    : began === undefined || !isOwnLine(began.text)
      ? `pit did not write its terms, or they were changed: ${file}`
      : null;
  return {
    id,
    facts: problem === null ? known : undefined,
    problem,
    children: recordedChildren(ofChildren),
    said: lines.filter((line) => 'said' in line),
    lastFactTime: facts.at(-1)?.time ?? 0,
    torn,
    isPutAway,
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
