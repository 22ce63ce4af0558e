import { definer } from '../../cli/definition.js';
import type { Context } from './context.js';

export type { Context } from './context.js';

/** Defines a command; its `run` sees its own arguments and flags, typed, and the {@link Context}. */
export const define = definer<Context>();
