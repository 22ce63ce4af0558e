import { MINUTE } from '../candles.js';
import type { History } from '../candles-series.js';
import { UnreadableStore } from '../store-damage.js';
import type { Codec } from '../store-table.js';

/** When and with what chance an exchange began; it stays as long as its directory. */
export interface Genesis {
  readonly seed: number;
  /** The ms of the first minute that is not prehistory. */
  readonly start: number;
  /** A market that begins without a past, because a recording is to be its first; null for none. */
  readonly bare: string | null;
}

/** Where another exchange than one of the present begins. */
export interface ReplayGenesis {
  /** ms since the Unix epoch; the clock stands there. */
  readonly time: number;
  /** The market that has no past. */
  readonly bare: string;
}

/** Raised when the rows on disk change their meaning. */
const FORMAT = 3;

/** Thrown when the data of a directory were written by a version that stores them differently. */
export class OtherFormat extends UnreadableStore {
  override readonly name = 'OtherFormat';

  constructor(found: number) {
    super(`the data have format ${found}, this version reads format ${FORMAT}`);
  }
}

export const genesisCodec: Codec<Genesis> = {
  encode: ({ seed, start, bare }) => [FORMAT, seed, start, bare],
  decode: (row) => {
    const [format, seed, start, bare] = row as [number, number, number, string | null];
    if (format !== FORMAT) throw new OtherFormat(format);
    return { seed, start, bare };
  },
};

export function genesisAt(seed: number, time: number, replayGenesis: ReplayGenesis | undefined): Genesis {
  const minute = Math.floor(time / MINUTE) * MINUTE;
  // a minute of the crowd comes first, so that there is a market to look at from the beginning
  if (replayGenesis === undefined) return { seed, start: minute - MINUTE, bare: null };
  return { seed, start: minute, bare: replayGenesis.bare };
}

/** The past of a market that has none. */
export function nothingBefore(start: number): History {
  return { start, end: start, candles: () => [] };
}
