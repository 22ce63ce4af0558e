import type { Reader } from './definition.js';

/** What a shell offers for a word: fixed ones, what pit knows of the exchange and of its own files, or what the shell knows. */
export type Completes =
  | {
      readonly of: 'words';
      readonly words: readonly string[];
      /** Several may stand in one word, with commas between. */
      readonly joined?: true;
    }
  | {
      readonly of: 'market' | 'coin' | 'order' | 'clientId' | 'unresolved' | 'profile' | 'file' | 'program';
    };

/** A reader that says what completes its words, so that every command that uses it is completed. */
export function completing<Value>(completes: Completes, read: (word: string) => Value): Reader<Value> {
  return Object.assign((word: string) => read(word), { completes });
}
