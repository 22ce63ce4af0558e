import path from 'node:path';

/** Where the parts of a journal are. */
export class JournalPaths {
  readonly #folder: string;

  /** @param folder the journal's own folder */
  constructor(folder: string) {
    this.#folder = folder;
  }

  of(name: '' | 'version' | 'unsettled' | 'lists' | 'archive' | 'jobs' | 'damaged'): string {
    return path.join(this.#folder, name);
  }

  /** The record of a write whose outcome is unknown. */
  unsettled(id: string): string {
    return path.join(this.of('unsettled'), id);
  }
}
