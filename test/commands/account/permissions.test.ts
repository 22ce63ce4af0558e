import { expect, it } from 'vitest';
import { permissionHint, permissionsFor, whatNeeds } from '../../../src/commands/account/permissions.js';
import { commands } from '../../../src/commands/index.js';
import { SERVED } from '../../../src/sandbox/server/operations/index.js';
import { READS } from '../../operations/own-values.js';

const firstWord = (words: string) => words.replace(/ .*/, '');
const PERMISSION_OF = new Map(
  SERVED.flatMap((served) => (served.access === 'signed' ? [[served.name as string, served.permission]] : [])),
);
/** Each signed operation with the commands that show its answer. A stream needs what its channel needs. */
const SIGNED_READS = READS.filter(({ operation, command }) => PERMISSION_OF.has(operation) && command !== 'stream');

it.each(SIGNED_READS)('names the permission for $operation among those of $command', ({ operation, command }) => {
  expect(permissionsFor(firstWord(command))).toContain(PERMISSION_OF.get(operation));
});

it('lists only commands of pit, in the order of help', () => {
  const words = [...new Set(Object.keys(commands).map(firstWord))];
  for (const permission of ['asset', 'entrust', 'money'] as const) {
    const named = whatNeeds(permission).split(', ');
    expect(named).toEqual(words.filter((word) => named.includes(word)));
  }
});

it('lists no permission for a command that needs no key', () => {
  expect(permissionsFor('depth')).toEqual([]);
});

it('explains which permissions a command needs, because the exchange does not say which one is missing', () => {
  expect(permissionHint('deposits')).toContain('It needs the permission money.');
  expect(permissionHint('withdraw')).toContain('It needs the permissions asset and money.');
});
