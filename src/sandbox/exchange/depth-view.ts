import type { Venue } from '../desk/desk.js';
import type { Depth } from '../exchange.js';
import { depthSides } from './views.js';

type Sides = Omit<Depth, 'time'>;

/** So many views of one state of a book are kept: more are merge steps that somebody tries out. */
const MOST_VIEWS = 60;

/**
 * The depth of a market as text. A view is made once for each state of the book, and the very same lists are given until
 * the book changes: whoever makes something of them may keep it by their identity.
 */
export class DepthView {
  private revision = -1;
  private readonly views = new Map<string, Sides>();

  constructor(private readonly venue: Venue) {}

  /** The best `size` levels of each side, prices rounded outwards to multiples of `step` ticks. */
  read(size: number, step: bigint): Sides {
    const { revision } = this.venue.book;
    if (revision !== this.revision) this.views.clear();
    this.revision = revision;
    const key = `${size} ${step}`;
    const known = this.views.get(key);
    if (known !== undefined) return known;
    const sides = depthSides(this.venue, size, step);
    if (this.views.size < MOST_VIEWS) this.views.set(key, sides);
    return sides;
  }
}
