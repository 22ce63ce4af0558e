import type { TerminalOutput } from '../platform/host.js';
import type { RecentChanges } from './live/recent-changes.js';
import { colouredPaint, type Paint } from './palette.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Properties of the terminal, file or pipe that text goes to. */
export interface Screen {
  /** In cells; Infinity if nothing limits a line, as in a pipe. */
  readonly width: number;
  /** In lines; Infinity if there is no limit. */
  readonly height: number;
  /** Whether lines beyond the height are lost, as in a live view; elsewhere the terminal scrolls. */
  readonly isFixed?: true;
  /** What changed since earlier drawings. Absent: it is drawn once. */
  readonly changes?: RecentChanges;
  readonly colour: boolean;
  /** Whether lines, blocks and arrows can be drawn; a dumb terminal gets ASCII. */
  readonly symbols: boolean;
  readonly paint: Paint;
}

export interface ScreenOptions {
  /** False for `--no-color`; otherwise the environment and the stream decide. */
  readonly colour?: boolean | undefined;
}

/** A stream, or the properties of one that was not opened. */
export type ScreenStream = Pick<TerminalOutput, 'isTTY' | 'columns' | 'rows'>;

/** The screen behind a stream: its width, and whether and how it takes colour. */
export function screenOf(stream: ScreenStream, environment: Environment, options: ScreenOptions = {}): Screen {
  const colour = wantsColour(stream, environment, options);
  return {
    width: widthOf(stream, environment),
    height: stream.isTTY ? stream.rows || 24 : Number.POSITIVE_INFINITY,
    colour,
    symbols: environment.TERM !== 'dumb',
    paint: colour ? colouredPaint(isRich(environment) || (forcedLevel(environment) ?? 0) > 1 ? 256 : 16) : PLAIN,
  };
}

function widthOf(stream: ScreenStream, environment: Environment): number {
  if (!stream.isTTY) return Number.POSITIVE_INFINITY;
  const columns = /^[1-9]\d{0,3}$/.test(environment.COLUMNS ?? '') ? Number(environment.COLUMNS) : undefined;
  return columns ?? (stream.columns || 80);
}

function wantsColour(stream: ScreenStream, environment: Environment, options: ScreenOptions): boolean {
  if (options.colour === false || (environment.NO_COLOR ?? '') !== '') return false;
  const level = forcedLevel(environment);
  if (level !== undefined) return level > 0;
  const force = environment.CLICOLOR_FORCE ?? '';
  if (force !== '' && force !== '0') return true;
  return stream.isTTY === true && environment.TERM !== 'dumb';
}

/**
 * The least that `FORCE_COLOR` asks for, as most programs on Node read it: 0 no colour, 1 sixteen colours, 2 and 3 more; empty
 * and `true` are 1, `false` is 0. Undefined if it is not set, or is none of these.
 */
function forcedLevel({ FORCE_COLOR: word }: Environment): number | undefined {
  if (word === '' || word === 'true') return 1;
  if (word === 'false') return 0;
  return word !== undefined && /^\d+$/.test(word) ? Math.min(Number(word), 3) : undefined;
}

function isRich({ TERM = '', COLORTERM = '' }: Environment): boolean {
  return COLORTERM !== '' || /256|direct|kitty|ghostty|alacritty/.test(TERM);
}

const same = (text: string): string => text;

const PLAIN: Paint = {
  bid: same,
  ask: same,
  up: same,
  down: same,
  good: same,
  bad: same,
  warn: same,
  strong: same,
  faint: same,
  label: same,
  fresh: same,
  fading: same,
  cursor: same,
  printed: same,
};

/** A text that is faint as a whole, whatever colours it has elsewhere. */
export function drawFaint(screen: Screen, draw: (screen: Screen) => string): string {
  const text = draw({ ...screen, paint: PLAIN });
  return text.split('\n').map(screen.paint.faint).join('\n');
}
