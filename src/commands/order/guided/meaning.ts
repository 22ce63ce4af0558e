import type { Decimal } from '../../../domain/decimal.js';
import type { Market } from '../../../domain/market.js';
import type { Side } from '../../../domain/words.js';
import { Failure } from '../../../errors.js';
import { grouped } from '../../../terminal/numbers.js';
import type { Screen } from '../../../terminal/screen.js';
import { safe, wrapped } from '../../../terminal/text.js';
import type { MarketView } from '../../../trading/market-view.js';

/** What is known of an order while it is being asked for. */
export interface Draft {
  readonly market: Market;
  readonly side: Side;
  /** Of the coin that it spends; undefined where it is not known, as on margin. */
  readonly available: Decimal | undefined;
  /** Undefined where the book was never seen. */
  readonly view: MarketView | undefined;
}

/** What a typed word would mean now. */
export interface Meaning {
  readonly says: string;
  readonly beware: readonly string[];
}

export function meaning(says: string, ...beware: readonly (string | null)[]): Meaning {
  return { says, beware: beware.filter((words) => words !== null) };
}

/** What is wrong, as it stands below a question. Whatever is not the user's doing passes as it is. */
export function complaint(thrown: unknown): string {
  if (!(thrown instanceof Failure)) throw thrown;
  return [thrown.message, ...thrown.hints.filter((hint) => typeof hint === 'string')].join(' ');
}

/** True, or what is wrong with it. */
export function verdict(check: () => void): true | string {
  try {
    check();
    return true;
  } catch (error) {
    return complaint(error);
  }
}

/** Undefined while what is typed is not an answer yet. */
export function unlessWrong<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** Lines below a question: what is so (painted already), and what the word means and what to beware of, or what was wrong with it at Enter. */
export function drawn(screen: Screen, first: string, { says, beware }: Meaning, wrong: string | undefined): string {
  const { paint, width } = screen;
  const lines = (text: string, painted: (line: string) => string) =>
    wrapped(safe(text), width).split('\n').map(painted).join('\n');
  const meant = [lines(says, paint.faint), ...beware.map((text) => lines(text, paint.warn))];
  const words = wrong === undefined ? meant : [lines(wrong, paint.bad)];
  return [first, ...words].filter((text) => text !== '').join('\n');
}

export function shown(value: Decimal): string {
  return grouped(value.trimmed().toString());
}
