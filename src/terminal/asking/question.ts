import type { LiveInput } from './live-input.js';

export type Question =
  | {
      type: 'input';
      message: string;
      default?: string;
      validate?: (answer: string) => true | string | Promise<true | string>;
    }
  | { type: 'password'; message: string; mask: false; toggleMask: false }
  | { type: 'select'; message: string; choices: readonly ListedChoice[] }
  | {
      type: 'search';
      message: string;
      pageSize: number;
      source: (typed: string | undefined) => Promise<readonly ListedChoice[]>;
    }
  | ({ type: 'live' } & LiveInput);

export interface ListedChoice {
  readonly name: string;
  /** The number of the choice. */
  readonly value: number;
  readonly description?: string;
  /** The text once it is chosen. */
  readonly short?: string;
}
