import type { Reader } from './definition.js';

/** What a shell offers for a word: fixed words, names that pit knows, or what the shell itself knows. */
export type Completes =
  | {
      readonly of: 'words';
      readonly words: readonly string[];
      /** Several may be joined with commas. */
      readonly joined?: true;
    }
  | {
      readonly of: 'market' | 'coin' | 'order' | 'clientId' | 'unresolved' | 'profile' | 'file' | 'program';
    };

/** A reader with what completes its words, so that every command that uses it is completed. */
export function completing<Value>(completes: Completes, read: (word: string) => Value): Reader<Value> {
  return Object.assign((word: string) => read(word), { completes });
}
