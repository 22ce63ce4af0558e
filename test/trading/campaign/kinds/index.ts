import type { Passing } from '../../../support/proxy.js';
import type { Action, Kind } from '../action.js';
import { batch } from './batch.js';
import { cancel } from './cancel.js';
import { EQUALS } from './equals.js';
import { order } from './order.js';
import { replace } from './replace.js';
import { withdraw } from './withdraw.js';

/** Every kind of action of the random campaign. To add one, write its module and add it here. */
export const KINDS = [order, cancel, replace, batch, withdraw] as readonly Kind[];

export function kindOf({ kind }: Pick<Action, 'kind'>): Kind {
  const found = [...KINDS, EQUALS as Kind].find(({ name }) => name === kind);
  if (found === undefined) throw new Error(`there is no kind of action ${kind}`);
  return found;
}

/** The key of a write; undefined for any other request. */
export function keyOf(request: Passing): string | undefined {
  return KINDS.map((kind) => kind.keyOf(request)).find((key) => key !== undefined);
}
