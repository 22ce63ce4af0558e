import type { Program } from '../cli/run.js';
import { commands, flagSynonyms, groups, SECTIONS, synonyms } from './index.js';
import { createContext } from './session/context.js';

/** Everything that a command line may ask for. */
export const PROGRAM: Program = { commands, groups, synonyms, flagSynonyms, sections: SECTIONS, createContext };
