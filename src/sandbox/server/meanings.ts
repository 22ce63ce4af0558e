import type { Operation } from '../../exchange/operations/operation.js';
import { checkParameters } from './parameters.js';
import { readQuery } from './query.js';

export type ParsedQuery = Readonly<Record<string, string | undefined>>;

/** So many are kept; then all are forgotten, which is rare and cheap. */
const MOST = 500;

/**
 * What the queries of an operation mean. That depends on their text alone, and who watches a market asks the same again
 * and again, so it is read once.
 */
export class ParsedQueries {
  private readonly known = new Map<string, ParsedQuery>();

  constructor(private readonly operation: Operation) {}

  /** The checked parameters of a query. Throws Refusal where they are wrong, each time anew. */
  of(query: string): ParsedQuery {
    const known = this.known.get(query);
    if (known !== undefined) return known;
    const meaning = checkParameters(this.operation, readQuery(query));
    if (this.known.size >= MOST) this.known.clear();
    this.known.set(query, meaning);
    return meaning;
  }
}
