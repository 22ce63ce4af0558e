import type { Answer, Picture } from '../../terminal/answer.js';
import { Changes } from '../../terminal/live/changes.js';
import { drawFaint, type Screen } from '../../terminal/screen.js';
import { displayWidth, safe, shortened } from '../../terminal/text.js';
import { ageText } from '../../terminal/time.js';
import type { AnswerSnapshot, Outage, WatchedAnswer } from './watched-answer.js';

/** A watched answer as its command shows it, under a line that says how current it is. */
export class WatchPicture implements Picture {
  readonly #changes: Changes;

  /**
   * @param now milliseconds since any moment
   * @param profile whose exchange it is of
   * @param view changes each answer before it is shown, as `--fields` does
   */
  constructor(
    private readonly watched: Pick<WatchedAnswer, 'snapshot' | 'trouble'>,
    now: () => number,
    private readonly profile: string,
    private readonly view: (answer: Answer) => Answer = (answer) => answer,
  ) {
    this.#changes = new Changes(now);
  }

  take(): void {}

  show(screen: Screen, isLast = false): string {
    if (isLast) return '';
    const snapshot = this.watched.snapshot();
    const changes = this.#changes;
    changes.begin();
    const below: Screen = { ...screen, height: Math.max(1, screen.height - 1), isFixed: true, changes };
    const { show } = this.view(snapshot.answer);
    return `${this.#status(screen, snapshot)}\n${snapshot.isCurrent ? show(below) : drawFaint(below, show)}`;
  }

  #status({ paint, width }: Screen, snapshot: AnswerSnapshot): string {
    const { trouble } = this.watched;
    const line = joined([...currencyOf(snapshot), ...wordsOf(trouble), this.profile, 'q ends'], width);
    return snapshot.isCurrent && trouble === null ? paint.faint(line) : paint.warn(line);
  }
}

function currencyOf({ isCurrent, source, ageMs }: AnswerSnapshot): string[] {
  if (!isCurrent) return [`stale, ${ageText(ageMs)} old`];
  return source === 'stream' ? ['stream', `changed ${ageText(ageMs)} ago`] : ['polling', `read ${ageText(ageMs)} ago`];
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
