import { safe, wholeLines } from '../../terminal/text.js';
import { dialogWidth, FRAME } from './layout.js';

/** A question about a write, below what it would do. */
export interface WriteQuestion {
  readonly kind: 'question';
  readonly write: number;
  /** Names what it confirms: there may be no room for the preview. */
  readonly question: string;
  /** Painted lines. */
  readonly preview: readonly string[];
  /** What stands below the question, as long as it waits. */
  readonly below: (() => string) | null;
  /** The word that confirms; null if `y` does. */
  readonly word: string | null;
  readonly typed: string;
  /** Whether the question has been on the screen for a moment: keys before that cannot mean it. */
  readonly isArmed: boolean;
}

/** The size of the screen, in cells and lines. */
export interface WindowSize {
  readonly width: number;
  readonly height: number;
}

/** The lines of the question itself. */
export function questionLines({ question }: Pick<WriteQuestion, 'question'>, { width }: WindowSize): readonly string[] {
  return wholeLines(safe(question), dialogWidth(width));
}

/** Whether the window has room for the whole question and its answer. Otherwise it cannot be confirmed. */
export function isShownWhole(question: Pick<WriteQuestion, 'question'>, window: WindowSize): boolean {
  return questionLines(question, window).length + 1 + FRAME.rows <= window.height;
}
