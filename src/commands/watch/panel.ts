import { type Decimal, grouped } from '../../domain/decimal.js';
import { Grid } from '../../terminal/grid.js';
import { type Freshness, freshnessText } from '../../terminal/live/freshness.js';
import type { Meaning } from '../../terminal/palette.js';
import { displayWidth, safe, shortened } from '../../terminal/text.js';
import type { Area } from './layout.js';

/** A part of the screen with a title. Nothing that is written on it leaves its area. */
export class Panel {
  readonly #area: Area;

  readonly #grid: Grid;
  readonly #isStale: boolean;

  constructor(area: Area, title: string, freshness: Freshness | undefined, symbols: boolean) {
    this.#area = area;

    this.#grid = new Grid(area.width, area.height);
    this.#isStale = freshness?.isCurrent === false;
    this.#grid.put(0, 0, (symbols ? '─' : '-').repeat(area.width), 'faint');
    this.#grid.put(1, 0, ` ${title} `, 'strong');
    if (freshness === undefined) return;
    const text = ` ${freshnessText(freshness)} `;
    const column = area.width - 1 - text.length;
    if (column > displayWidth(title) + 3) this.#grid.put(column, 0, text, this.#isStale ? 'warn' : 'faint');
    else if (this.#isStale) this.#grid.put(1, 0, text, 'warn');
  }

  get width(): number {
    return this.#area.width;
  }

  /** The rows below the title. */
  get rows(): number {
    return Math.max(0, this.#area.height - 1);
  }

  /** Writes a text into a row below the title. What is stale has no colour. */
  put(column: number, row: number, text: string, meaning?: Meaning, accent?: Meaning): void {
    if (row < 0) return;
    this.#grid.put(column, row + 1, text, this.#isStale ? 'faint' : meaning, this.#isStale ? undefined : accent);
  }

  /** The same with its end at a column. */
  putRight(end: number, row: number, text: string, meaning?: Meaning, accent?: Meaning): void {
    this.put(end - displayWidth(text), row, text, meaning, accent);
  }

  /** A sentence in place of rows. */
  say(text: string): void {
    this.put(1, 0, shortened(safe(text), Math.max(1, this.width - 2)), 'faint');
  }

  drawChart(chart: Grid): void {
    this.#grid.draw(0, 1, chart, this.#isStale ? 'faint' : undefined);
  }

  drawOn(screen: Grid): void {
    screen.draw(this.#area.column, this.#area.row, this.#grid);
  }
}

/** With so many decimals, or more if it has them. */
export function scaled(value: Decimal, scale: number): string {
  return grouped(value.rescaled(Math.max(scale, value.significantScale), 'down').toString());
}
