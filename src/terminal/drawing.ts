import type { TerminalOutput } from '../platform/host.js';
import type { Screen } from './screen.js';

/** Another screen than the one with the shell's lines, without a cursor and without breaking long lines. */
const BEGIN = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[H\u001b[2J';
/** The terminal as it was. */
const END = '\u001b[?7h\u001b[?25h\u001b[?1049l';
const REST_OF_LINE = '\u001b[K';
const HOME = '\u001b[H';
const ALL = '\u001b[2J';

/** How often a picture is drawn at most. */
const FASTEST_MS = 100;
/** How often it is drawn at least, for the ages in it. */
const SLOWEST_MS = 1_000;

/** What is to be seen, and where. */
interface Frame {
  readonly screen: Pick<Screen, 'height'>;
  readonly text: string;
}

/** Draws a changing text on a terminal's other screen, only the lines that changed, until it is ended. */
export class Drawing {
  readonly #timer: NodeJS.Timeout;
  readonly #forget: () => void;
  #lines: readonly string[] = [];
  #isChanged = true;
  #sinceDrawn = 0;
  #isEnded = false;

  constructor(
    private readonly terminal: TerminalOutput,
    private readonly frame: () => Frame,
  ) {
    terminal.write(BEGIN);
    this.#draw();
    this.#timer = setInterval(() => this.#tick(), FASTEST_MS);
    // what is drawn decides how long the program runs
    this.#timer.unref();
    const redraw = () => {
      this.#lines = [];
      terminal.write(ALL);
      this.#draw();
    };
    terminal.on('resize', redraw);
    this.#forget = () => terminal.off('resize', redraw);
  }

  /** The text is another one: it is drawn soon. */
  change(): void {
    this.#isChanged = true;
  }

  /** Leaves the terminal as it was. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearInterval(this.#timer);
    this.#forget();
    this.terminal.write(END);
  }

  #tick(): void {
    this.#sinceDrawn += FASTEST_MS;
    if (this.#isChanged || this.#sinceDrawn >= SLOWEST_MS) this.#draw();
  }

  #draw(): void {
    const { screen, text } = this.frame();
    const lines = fitting(text.split('\n'), screen.height);
    const count = Math.max(lines.length, this.#lines.length);
    let out = '';
    for (let index = 0; index < count; index += 1) {
      const line = lines[index] ?? '';
      if (line !== this.#lines[index]) out += `\u001b[${index + 1};1H${line}${REST_OF_LINE}`;
    }
    // typed keys are echoed where the cursor is: the first line, which changes most often
    if (out !== '') this.terminal.write(out + HOME);
    [this.#lines, this.#isChanged, this.#sinceDrawn] = [lines, false, 0];
  }
}

/** The first lines, as many as there is room for; the last one then says how many are missing. */
function fitting(lines: readonly string[], height: number): readonly string[] {
  if (lines.length <= height) return lines;
  const shown = lines.slice(0, Math.max(0, height - 1));
  return [...shown, `… ${lines.length - shown.length} more lines: a taller terminal shows them`];
}
