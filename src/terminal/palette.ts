import { Chalk, type ChalkInstance } from 'chalk';

/** What a piece of text means; how that looks is decided here alone. */
export type Meaning =
  | 'bid'
  | 'ask'
  | 'up'
  | 'down'
  | 'good'
  | 'bad'
  | 'warn'
  | 'strong'
  | 'faint'
  | 'label'
  /** A value that has just changed, and one that changed shortly before. */
  | 'fresh'
  | 'fading'
  /** The line that keys act on. */
  | 'cursor'
  /** Black on white whatever the theme, for a camera. */
  | 'printed';

export type Paint = Readonly<Record<Meaning, (text: string) => string>>;

/**
 * The colours of meanings on a terminal that knows so many. It is apart, because scripts have none and chalk makes all
 * its styles when it is imported.
 *
 * Of the 256 colours these have a contrast of at least 3.8 both to black and to white.
 * With 16 colours the user's theme decides, so that yellow and cyan, pale on white in many themes, are left out.
 */
export function colouredPaint(colours: 16 | 256): Paint {
  const rich = colours === 256;
  const chalk = new Chalk({ level: rich ? 2 : 1 });
  const green = only(rich ? chalk.ansi256(28) : chalk.green);
  const red = only(rich ? chalk.ansi256(160) : chalk.red);
  return {
    bid: green,
    ask: red,
    up: green,
    down: red,
    good: green,
    bad: red,
    warn: only(rich ? chalk.ansi256(130) : chalk.magenta),
    strong: only(chalk.bold),
    faint: only(rich ? chalk.ansi256(243) : chalk.dim),
    label: only(rich ? chalk.ansi256(31) : chalk.bold),
    fresh: only(chalk.inverse),
    fading: only(chalk.underline),
    cursor: only(chalk.inverse),
    printed: only(rich ? chalk.ansi256(16).bgAnsi256(231) : chalk.black.bgWhiteBright),
  };
}

/** chalk joins all its arguments; as a callback of `map` it would print the index too. */
function only(style: ChalkInstance): (text: string) => string {
  return (text) => style(text);
}
