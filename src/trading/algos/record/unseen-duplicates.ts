import fs from 'node:fs';
import path from 'node:path';
import { create, HIDDEN, ignoringDiskErrors } from '../../journal/files.js';
import { namesOf } from './watchers.js';

/** Begins the name of the file that stands for the duplicates of an algo order. */
const BEGINNING = `${HIDDEN}duplicates${HIDDEN}`;

/** The algo orders of an account with orders that the network made twice and that the user has not seen. */
export class UnseenDuplicates {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The ids of the algo orders, ended ones too. */
  get ids(): string[] {
    return namesOf(this.#folder).flatMap((name) => (name.startsWith(BEGINNING) ? name.slice(BEGINNING.length) : []));
  }

  /** An order of an algo order was made twice. Throws the system's error. */
  add(id: string): void {
    create(this.#fileOf(id), '', true);
  }

  /** The user has seen those of an algo order. On a disk that cannot be written, every command goes on to name them. */
  seen(id: string): void {
    ignoringDiskErrors(() => fs.rmSync(this.#fileOf(id), { force: true }));
  }

  #fileOf(id: string): string {
    return path.join(this.#folder, `${BEGINNING}${id}`);
  }
}
