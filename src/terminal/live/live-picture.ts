import type { Picture } from '../answer.js';
import { drawFaint, type Screen } from '../screen.js';
import { displayWidth, safe, shortened } from '../text.js';
import { zonedTime } from '../time.js';
import { type Freshness, freshnessText } from './freshness.js';
import { RecentChanges } from './recent-changes.js';

/** A part of a live picture. */
export interface LiveSection {
  /** Distinguishes its values from those of other sections. */
  readonly key: string;
  /** Null for the whole picture: the line above it then says how old it is. */
  readonly title: string | null;
  /** Undefined while nothing is known, or if each row says its own age. */
  readonly freshness: () => Freshness | undefined;
  /** What is missing of it; null for nothing. */
  readonly warning?: () => string | null;
  /** How many rows it has. */
  readonly rows: () => number;
  readonly show: (screen: Screen, rows: number) => string;
}

/** Why what is shown may be out of date. */
export interface Outage {
  readonly words: string;
  /** Null if it is not known. */
  readonly reason: string | null;
}

/** What a live picture shows. */
export interface LiveSource<Event> {
  readonly sections: readonly LiveSection[];
  /** Null if nothing is wrong. */
  readonly trouble: () => Outage | null;
  /** What keeps it current: `stream`, `polling`, `connecting`. */
  readonly state: () => string;
  /** Whose exchange it is of. */
  readonly profile: string;
  readonly take?: (event: Event) => void;
  /** Whether the last picture stays on the screen. */
  readonly remains: boolean;
}

/** Lines of a section that are not its rows, one between two sections included. */
const AROUND_ROWS = 4;
const FEWEST_ROWS = 3;
/** Of a screen without a height. */
const USUAL_HEIGHT = 50;

/**
 * Sections below one another, each with how old it is and with what changed lately marked, under a line that says what keeps
 * them current. What is not current is faint.
 */
export class LivePicture<Event> implements Picture<Event> {
  readonly #source: LiveSource<Event>;
  readonly #clock: { readonly now: () => number; readonly monotonic: () => number };

  /** By section: a price is a row of more than one book. */
  readonly #changes = new Map<string, RecentChanges>();

  constructor(source: LiveSource<Event>, clock: { readonly now: () => number; readonly monotonic: () => number }) {
    this.#source = source;
    this.#clock = clock;
  }

  take(event: Event): void {
    this.#source.take?.(event);
  }

  show(screen: Screen, isLast = false): string {
    const { sections, remains } = this.#source;
    if (isLast && !remains) return '';
    const status = isLast ? screen.paint.faint(`As of ${zonedTime(this.#clock.now())}.`) : this.#status(screen);
    const [only] = sections;
    if (only?.title === null && sections.length === 1)
      return `${status}\n${this.#body({ ...screen, height: Math.max(1, screen.height - 1), isFixed: true }, only)}`;
    const height = Number.isFinite(screen.height) ? screen.height : USUAL_HEIGHT;
    const rows = shared(
      height - 1 - sections.length * AROUND_ROWS,
      sections.map((section) => section.rows()),
    );
    const shown = sections.map((section, index) => this.#section(screen, section, rows[index] ?? FEWEST_ROWS, isLast));
    return [status, ...shown].join('\n\n');
  }

  #status({ paint, width }: Screen): string {
    const { profile, sections } = this.#source;
    const trouble = this.#source.trouble();
    const whole = sections.find(({ title }) => title === null)?.freshness();
    const isCurrent = trouble === null && whole?.isCurrent !== false;
    const state = this.#source.state();
    const first =
      whole === undefined
        ? [trouble === null ? state : 'NOT CURRENT']
        : whole.isCurrent
          ? [state, freshnessText(whole)]
          : [freshnessText(whole)];
    const line = joined([...first, ...wordsOf(trouble), profile, 'q ends'], width);
    return isCurrent ? paint.faint(line) : paint.warn(line);
  }

  #section(screen: Screen, section: LiveSection, rows: number, isLast: boolean): string {
    const { paint } = screen;
    const body = this.#body(screen, section, rows, isLast);
    if (section.title === null) return body;
    const title = paint.strong(section.title);
    const freshness = section.freshness();
    if (freshness === undefined) return `${title}  ${paint.faint('waiting for the first data')}`;
    const age = (freshness.isCurrent ? paint.faint : paint.warn)(freshnessText(freshness));
    const warning = section.warning?.() ?? null;
    return `${title}  ${age}${warning === null ? '' : `  ${paint.warn(warning)}`}\n${body}`;
  }

  #body(screen: Screen, section: LiveSection, rows = Number.POSITIVE_INFINITY, isLast = false): string {
    const draw = (on: Screen) => section.show(on, rows);
    if (isLast) return draw(screen);
    const changes = this.#changes.get(section.key) ?? new RecentChanges(this.#clock.monotonic);
    this.#changes.set(section.key, changes);
    changes.begin();
    const marked = { ...screen, changes };
    return section.freshness()?.isCurrent === false ? drawFaint(marked, draw) : draw(marked);
  }
}

function wordsOf(trouble: Outage | null): string[] {
  if (trouble === null) return [];
  return trouble.reason === null ? [trouble.words] : [trouble.words, trouble.reason];
}

/** As many of the parts as fit, from the first on. */
function joined(parts: readonly string[], width: number): string {
  let line = '';
  for (const part of parts.map(safe)) {
    const longer = line === '' ? part : `${line} · ${part}`;
    if (displayWidth(longer) > width) return line === '' ? shortened(part, width) : line;
    line = longer;
  }
  return line;
}

/** Room for rows, divided among sections: none gets more than it takes, and what it leaves goes to the others. */
function shared(room: number, wanted: readonly number[]): readonly number[] {
  const rows = wanted.map(() => FEWEST_ROWS);
  const bySize = wanted.map((_, index) => index).sort((left, right) => (wanted[left] ?? 0) - (wanted[right] ?? 0));
  let left = room;
  bySize.forEach((section, index) => {
    const share = Math.max(FEWEST_ROWS, Math.floor(left / (wanted.length - index)));
    rows[section] = Math.min(wanted[section] ?? 0, share);
    left -= rows[section] ?? 0;
  });
  return rows;
}
