import { type Host, streamOf } from '../../platform/host.js';
import { type Screen, type ScreenOptions, screenOf } from '../screen.js';
import { REDRAW_MS } from '../time.js';
import { difference } from './difference.js';
import { KeyReader } from './key-reader.js';
import type { Key } from './keys.js';
import { type Cell, cellsOf } from './painted-cells.js';

/** Another screen than the one with the shell's lines, without a cursor and without breaking long lines. */
const BEGIN = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J';
/** The terminal as it was. */
const END = '\u001b[?7h\u001b[?25h\u001b[?1049l';
/** Pasted text is marked. */
const BEGIN_KEYS = '\u001b[?2004h';
const END_KEYS = '\u001b[?2004l';
const CLEAR = '\u001b[2J';
/** A terminal that knows them shows everything between them at once; another ignores them. */
const BEGIN_UPDATE = '\u001b[?2026h';
const END_UPDATE = '\u001b[?2026l';

/** How long there is between two drawings, at least. */
const SHORTEST_MS = 66;

type LiveHost = Pick<Host, 'input' | 'output' | 'environment' | 'onExit' | 'jobControl'>;

export interface LiveView {
  /** The painted lines as they are now. What has no room is cut; of the lines that have none, the number is shown. */
  lines(screen: Screen): readonly string[];
  /** Takes a key. Ctrl-C and Ctrl-Z do what they do everywhere, and do not come here. */
  onKey?(key: Key): void;
}

/**
 * A terminal that shows changing lines in place until it is ended. Only cells that changed are written, all changes of a
 * moment at once; nothing is written if nothing changed, or while the terminal is still busy with the last drawing.
 *
 * Keys are read one by one and not echoed. However the program ends or is stopped, it leaves the terminal as it was.
 */
export class LiveScreen {
  readonly #host: LiveHost;
  readonly #view: LiveView;
  readonly #options: ScreenOptions;

  readonly #ticker: NodeJS.Timeout;
  readonly #release: () => void;
  #screen: Screen;
  /** The painted lines on the screen, and their cells. */
  #lines: readonly string[] = [];
  #cells: readonly (readonly Cell[])[] = [];
  #isCleared = false;
  #isChanged = false;
  /** Set for a while after each drawing. */
  #pause: NodeJS.Timeout | undefined;
  #isWriting = false;
  /** What is to be called once everything is on the screen. */
  #onShown: (() => void)[] = [];
  #isOut = true;
  #isEnded = false;
  #keys: KeyReader | undefined;

  constructor(host: LiveHost, view: LiveView, options: ScreenOptions = {}) {
    this.#host = host;
    this.#view = view;
    this.#options = options;

    const { output, onExit, jobControl } = host;
    this.#screen = this.#measured();
    const onResize = () => this.#redraw();
    const stream = streamOf(output);
    stream.on('resize', onResize);
    const cancels = [
      () => stream.off('resize', onResize),
      onExit(() => this.end()),
      jobControl.onStop(
        () => this.#leave(),
        () => this.#enter(),
      ),
    ];
    this.#release = () => {
      for (const cancel of cancels) cancel();
    };
    this.#ticker = setInterval(() => this.change(), REDRAW_MS);
    // what is drawn decides how long the program runs
    this.#ticker.unref();
    this.#enter();
  }

  /** The lines may be others now: they are drawn soon. */
  change(): void {
    this.#isChanged = true;
    if (this.#pause === undefined) this.#draw();
  }

  /** Resolves when the lines as they are now are on the screen, or it has ended. */
  shown(): Promise<void> {
    if (this.#isEnded) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onShown.push(resolve);
      this.change();
    });
  }

  /** Leaves the terminal as it was. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearInterval(this.#ticker);
    clearTimeout(this.#pause);
    this.#release();
    this.#leave();
    this.#tellShown();
  }

  #enter(): void {
    if (this.#isEnded) return;
    this.#isOut = false;
    const { input, output } = this.#host;
    output.write(BEGIN);
    if (input.isTTY === true) {
      output.write(BEGIN_KEYS);
      this.#keys ??= new KeyReader(input, (key) => this.#take(key));
    }
    this.#redraw();
  }

  #leave(): void {
    if (this.#isOut) return;
    this.#isOut = true;
    if (this.#keys !== undefined) this.#host.output.write(END_KEYS);
    this.#keys?.end();
    this.#keys = undefined;
    this.#host.output.write(END);
  }

  #take(key: Key): void {
    if (key.name === 'ctrl-c') this.#host.jobControl.press('SIGINT');
    else if (key.name === 'ctrl-z') this.#host.jobControl.press('SIGTSTP');
    else this.#view.onKey?.(key);
  }

  #measured(): Screen {
    return screenOf(this.#host.output, this.#host.environment, this.#options);
  }

  /** The whole screen: whatever is on it is not what was drawn. */
  #redraw(): void {
    this.#screen = this.#measured();
    [this.#lines, this.#cells, this.#isCleared] = [[], [], true];
    this.change();
  }

  #draw(): void {
    if (this.#isOut || this.#isWriting || !this.#isChanged) return;
    this.#isChanged = false;
    const { width, height } = this.#screen;
    const lines = fitting(this.#view.lines(this.#screen), height);
    const cells = lines.map((line, row) =>
      line === this.#lines[row] ? (this.#cells[row] ?? []) : cellsOf(line, width),
    );
    const text = `${this.#isCleared ? CLEAR : ''}${difference(this.#cells, cells)}`;
    [this.#lines, this.#cells, this.#isCleared] = [lines, cells, false];
    this.#pause = setTimeout(() => this.#endPause(), SHORTEST_MS);
    this.#pause.unref();
    if (text === '') {
      this.#tellShown();
      return;
    }
    this.#isWriting = true;
    this.#host.output.write(`${BEGIN_UPDATE}${text}${END_UPDATE}`, () => {
      this.#isWriting = false;
      if (this.#isChanged && this.#pause === undefined) this.#draw();
      else if (!this.#isChanged) this.#tellShown();
    });
  }

  #endPause(): void {
    this.#pause = undefined;
    this.#draw();
  }

  #tellShown(): void {
    for (const resolve of this.#onShown.splice(0)) resolve();
  }
}

/** As many lines as the window has; the last one then says how many are missing. */
function fitting(lines: readonly string[], height: number): readonly string[] {
  if (lines.length <= height) return [...lines, ...Array<string>(height - lines.length).fill('')];
  const shown = lines.slice(0, Math.max(0, height - 1));
  return [...shown, `… ${lines.length - shown.length} more lines: a taller terminal shows them`];
}
