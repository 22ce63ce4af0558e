import { version } from '../../../version.js';
import { type Check, ok } from '../check.js';
import { nodeFound } from './node.js';

export const versions: readonly Check[] = [
  { name: 'pit', look: async () => ok(`version ${version}`) },
  { name: 'node', look: async () => nodeFound(process.versions.node) },
];
