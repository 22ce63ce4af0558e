import path from 'node:path';
import { HIDDEN, namesIn } from './files.js';
import { listShowing, type MarketSide, type RecordedWrite } from './write.js';

/** The list of the exchange that shows what a write makes. */
export type ShowingList = MarketSide | { readonly coin: string };

/** Separates the parts of the name of a settled write's record. It occurs in no id and no market. */
const SEPARATOR = '~';

/** Where the records of a journal are. A record's place shows its state. */
export class JournalPaths {
  readonly #folder: string;

  /** @param folder the journal's own folder */
  constructor(folder: string) {
    this.#folder = folder;
  }

  of(name: '' | 'version' | 'unsettled' | 'settled' | 'archive' | 'jobs' | 'damaged'): string {
    return path.join(this.#folder, name);
  }

  /** The record of a write whose outcome is unknown. */
  unsettled(id: string): string {
    return path.join(this.of('unsettled'), id);
  }

  /**
   * The record of a settled write; undefined for a write that no list shows. Its name begins with the list and the time of the
   * write, so that a command reads only the records that it needs.
   */
  settled(write: RecordedWrite): string | undefined {
    const list = listShowing(write);
    if (list === undefined) return undefined;
    return path.join(this.of('settled'), `${beginningOf(list)}${write.time}${SEPARATOR}${write.id}`);
  }

  /** The records of all settled writes. */
  allSettled(): string[] {
    return this.#settledWhose(() => true);
  }

  /** The records of the settled writes that one list shows, oldest first. */
  settledOf(list: ShowingList): string[] {
    return this.#settledWhose((name) => name.startsWith(beginningOf(list)));
  }

  /** The record of one settled write. */
  settledNamed(id: string): string | undefined {
    return this.#settledWhose((name) => name.endsWith(`${SEPARATOR}${id}`))[0];
  }

  /** When a list was last read to close the settled writes that it shows. */
  closing(list: ShowingList): string {
    return path.join(this.of('settled'), `${HIDDEN}${beginningOf(list)}closing`);
  }

  #settledWhose(matches: (name: string) => boolean): string[] {
    return namesIn(this.of('settled'))
      .filter(matches)
      .map((name) => path.join(this.of('settled'), name));
  }
}

/** When the settled write of a record was recorded, in milliseconds since the Unix epoch. */
export function timeOfSettled(file: string): number {
  return Number(path.basename(file).split(SEPARATOR).at(-2));
}

function beginningOf(list: ShowingList): string {
  const words = 'coin' in list ? [list.coin] : [list.market, list.side];
  return words.map((word) => `${encodeURIComponent(word)}${SEPARATOR}`).join('');
}
