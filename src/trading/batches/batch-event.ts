import type { RefusalKind } from '../../domain/refusal.js';

/**
 * What happened to the requests of a job. Replaying these events in order gives its whole state. Requests are
 * numbered from 1 without a gap, lines are counted from 0.
 */
export type BatchEvent =
  /** These requests, with this `reqTime`, are about to be sent. It is on the disk before the first of them is. */
  | {
      readonly kind: 'sending';
      readonly requests: readonly (readonly [request: number, lines: readonly number[]])[];
      /** Milliseconds since the Unix epoch, by the exchange's clock. */
      readonly reqTime: number;
    }
  /** The ids of the accepted orders; fewer than lines if some were refused. */
  | {
      readonly kind: 'answered';
      readonly request: number;
      readonly ids: readonly string[];
      readonly message: string | null;
    }
  | {
      readonly kind: 'refused';
      readonly request: number;
      readonly refusal: RefusalKind;
      readonly code: number | null;
      readonly message: string;
    }
  | { readonly kind: 'lost'; readonly request: number }
  /** The request was not sent. */
  | { readonly kind: 'notSent'; readonly request: number }
  /** The exchange's lists show these orders. */
  | { readonly kind: 'found'; readonly orders: readonly (readonly [line: number, id: string])[] }
  /**
   * The rest of the request is not on the exchange. A duplicate of a refused order may still be placed: then it is `found`.
   */
  | {
      readonly kind: 'closed';
      readonly request: number;
      readonly outcome: 'refused' | 'notSent';
      readonly reason: string;
      /** Why the exchange rejected it, and its code for that, if it did. */
      readonly refusal?: RefusalKind | undefined;
      readonly code: number | null;
    }
  /** Nothing has shown these orders, which an answer named by its order of lines: the outcomes of the lines are open again. */
  | { readonly kind: 'unconfirmed'; readonly orders: readonly (readonly [line: number, id: string])[] }
  /** Further orders, each a duplicate of a line's order. */
  | { readonly kind: 'duplicated'; readonly orders: readonly (readonly [line: number, id: string])[] };

/** The outcome of one line. `notSent`: it is not on the exchange, and may be sent. */
export type LineOutcome = 'placed' | 'refused' | 'notSent' | 'unknown';
