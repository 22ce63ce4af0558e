import { describe, expect, it } from 'vitest';
import type { Meaning } from '../../src/terminal/palette.js';
import { screenOf } from '../../src/terminal/screen.js';
import { Kept } from './screens.js';

const TTY = new Kept(80);
const PIPE = new Kept();

describe('colour', () => {
  it.each([
    ['a terminal', TTY, {}, {}, true],
    ['a pipe', PIPE, {}, {}, false],
    ['NO_COLOR', TTY, { NO_COLOR: '1' }, {}, false],
    ['NO_COLOR with any value', TTY, { NO_COLOR: '0' }, {}, false],
    ['an empty NO_COLOR', TTY, { NO_COLOR: '' }, {}, true],
    ['CLICOLOR_FORCE into a pipe', PIPE, { CLICOLOR_FORCE: '1' }, {}, true],
    ['CLICOLOR_FORCE=0', PIPE, { CLICOLOR_FORCE: '0' }, {}, false],
    ['an empty CLICOLOR_FORCE', PIPE, { CLICOLOR_FORCE: '' }, {}, false],
    ['NO_COLOR over CLICOLOR_FORCE', TTY, { NO_COLOR: '1', CLICOLOR_FORCE: '1' }, {}, false],
    ['--no-color over CLICOLOR_FORCE', TTY, { CLICOLOR_FORCE: '1' }, { colour: false }, false],
    ['FORCE_COLOR=1 into a pipe', PIPE, { FORCE_COLOR: '1' }, {}, true],
    ['FORCE_COLOR=3 into a pipe', PIPE, { FORCE_COLOR: '3' }, {}, true],
    ['FORCE_COLOR=true into a pipe', PIPE, { FORCE_COLOR: 'true' }, {}, true],
    ['an empty FORCE_COLOR into a pipe', PIPE, { FORCE_COLOR: '' }, {}, true],
    ['FORCE_COLOR=0', TTY, { FORCE_COLOR: '0' }, {}, false],
    ['FORCE_COLOR=false', TTY, { FORCE_COLOR: 'false' }, {}, false],
    ['FORCE_COLOR=0 over CLICOLOR_FORCE', PIPE, { FORCE_COLOR: '0', CLICOLOR_FORCE: '1' }, {}, false],
    ['a FORCE_COLOR that is no level', PIPE, { FORCE_COLOR: 'yes' }, {}, false],
    ['NO_COLOR over FORCE_COLOR', TTY, { NO_COLOR: '1', FORCE_COLOR: '3' }, {}, false],
    ['--no-color over FORCE_COLOR', TTY, { FORCE_COLOR: '3' }, { colour: false }, false],
    ['a dumb terminal with FORCE_COLOR', TTY, { TERM: 'dumb', FORCE_COLOR: '1' }, {}, true],
    ['a dumb terminal', TTY, { TERM: 'dumb' }, {}, false],
    ['a dumb terminal, forced', TTY, { TERM: 'dumb', CLICOLOR_FORCE: '1' }, {}, true],
  ])('decides about colour with %s', (_name, stream, environment, options, expected) => {
    const screen = screenOf(stream, environment, options);
    expect(screen.colour).toBe(expected);
    expect(screen.paint.bad('x') !== 'x').toBe(expected);
  });

  it('takes as many colours as FORCE_COLOR asks for, and never fewer than the terminal has', () => {
    const painted = (environment: Readonly<Record<string, string>>) => screenOf(TTY, environment).paint.bid('x');
    const [poor, rich] = [painted({ TERM: 'xterm' }), painted({ TERM: 'xterm-256color' })];
    expect(poor).not.toBe(rich);
    expect(['1', '2', '3'].map((FORCE_COLOR) => painted({ TERM: 'xterm', FORCE_COLOR }))).toEqual([poor, rich, rich]);
    expect(painted({ TERM: 'xterm-256color', FORCE_COLOR: '1' })).toBe(rich);
  });

  it('paints one text, also as a callback with more arguments', () => {
    const { paint } = screenOf(TTY, { TERM: 'xterm' });
    expect(['a', 'b'].map(paint.bid)).toEqual(['\u001b[32ma\u001b[39m', '\u001b[32mb\u001b[39m']);
  });

  it('the colours are readable on black and on white, and avoid yellow and cyan of the terminal theme', () => {
    const rich = screenOf(TTY, { TERM: 'xterm-256color' }).paint;
    const poor = screenOf(TTY, { TERM: 'xterm' }).paint;
    for (const meaning of Object.keys(rich) as Meaning[]) {
      const [, index] = /38;5;(\d+)m/.exec(rich[meaning]('x')) ?? [];
      // a style with its own background may have any colour
      if (index !== undefined && meaning !== 'printed') expect(contrasts(Number(index))).toBeGreaterThan(3.8);
      expect(poor[meaning]('x')).not.toMatch(/\u001b\[3[367]m/);
    }
  });
});

describe('width', () => {
  it.each([
    ['that of the terminal', TTY, {}, 80],
    ['COLUMNS', TTY, { COLUMNS: '120' }, 120],
    ['that of the terminal if COLUMNS is not a number', TTY, { COLUMNS: 'wide' }, 80],
    ['80 on a terminal without a width', new Kept(0), {}, 80],
    ['unlimited in a pipe', PIPE, { COLUMNS: '40' }, Number.POSITIVE_INFINITY],
  ])('the width is %s', (_name, stream, environment, expected) => {
    expect(screenOf(stream, environment).width).toBe(expected);
  });
});

/** The smaller contrast to black or white, by the Web Content Accessibility Guidelines. */
function contrasts(index: number): number {
  const light = luminance(index);
  return Math.min((light + 0.05) / 0.05, 1.05 / (light + 0.05));
}

function luminance(index: number): number {
  const cube = [36, 6, 1].map((step) => [0, 95, 135, 175, 215, 255][Math.floor((index - 16) / step) % 6] ?? 0);
  const rgb = index >= 232 ? Array<number>(3).fill(8 + (index - 232) * 10) : cube;
  const [red = 0, green = 0, blue = 0] = rgb.map((value) => {
    const part = value / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
