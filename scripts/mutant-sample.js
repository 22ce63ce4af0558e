// Plug-ins of Stryker for `npm run campaign:mutants`. It tries only a sample of a large group: the same mutants in each run of the
// same code with the same seed. To Stryker the others are mutants that do not compile. It counts them as errors, which are no part of the
// score.
import { createHash } from 'node:crypto';
import path from 'node:path';

/** @typedef {{ id: string, fileName: string, location: object, mutatorName: string, replacement: string }} Mutant */

const SEED = process.env.PIT_MUTANT_SEED;
const SIZE = Number(process.env.PIT_MUTANT_SAMPLE);

/** A place in an order that has nothing to do with the code. @param {Mutant} mutant */
function placeOf({ fileName, location, mutatorName, replacement }) {
  const mutant = [SEED, path.relative(process.cwd(), fileName), location, mutatorName, replacement];
  return createHash('sha256').update(JSON.stringify(mutant)).digest('hex');
}

class SampleChecker {
  async init() {}

  /** All of them in one group, of which `check` takes the sample. @param {Mutant[]} mutants */
  async group(mutants) {
    return [mutants.map(({ id }) => id)];
  }

  /** @param {Mutant[]} mutants */
  async check(mutants) {
    const places = mutants.map((mutant) => ({ id: mutant.id, place: placeOf(mutant) }));
    const inOrder = places.sort((one, other) => (one.place < other.place ? -1 : 1));
    return Object.fromEntries(inOrder.map(({ id }, index) => [id, index < SIZE ? PASSED : LEFT_OUT]));
  }
}

const PASSED = { status: 'passed' };
const LEFT_OUT = { status: 'compileError', reason: 'not in the sample' };

/** @typedef {{ type: string, name?: string, callee?: Node, object?: Node, key?: Node }} Node a node of the syntax */

/**
 * Leaves out the descriptions of the fields of JSON, `shape.text('in the quote coin')` and `{ ...ORDER, description: 'of an order' }`:
 * nothing depends on these words of `pit schema`.
 */
const DESCRIPTIONS = {
  /** @param {{ node: Node, parent?: Node }} path */
  shouldIgnore({ node, parent }) {
    if (node.type !== 'StringLiteral') return undefined;
    const isArgument = parent?.type === 'CallExpression' && parent.callee?.object?.name === 'shape';
    const isProperty = parent?.type === 'ObjectProperty' && parent.key?.name === 'description';
    return isArgument || isProperty ? 'a description' : undefined;
  },
};

export const strykerPlugins = [
  { kind: 'Checker', name: 'sample', injectableClass: SampleChecker },
  { kind: 'Ignore', name: 'descriptions', value: DESCRIPTIONS },
];
