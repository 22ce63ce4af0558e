import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { Journal } from '../../../src/trading/journal/journal.js';
import type { RecordedWrite, Settled } from '../../../src/trading/journal/write.js';
import { fakeHost } from '../../support/fake-host.js';
import { TERMS } from '../support/terms.js';
import { temporaryState } from '../support/trading.js';

/** A journal in its own folder; `begin` writes to it as another process would. */
export function newJournal(state = temporaryState()) {
  const host = fakeHost();
  const folder = path.join(state, 'journal', 'test');
  return {
    ...{ host, state, folder, journal: new Journal(host, state, 'test') },
    unsettled: path.join(folder, 'unsettled'),
    lists: path.join(folder, 'lists'),
    archive: path.join(folder, 'archive'),
    begin: (id: string, clientId?: string, journal = new Journal(host, state, 'test')) =>
      journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id, clientId, reqTime: host.now() }),
  };
}

export const PLACED = { outcome: 'placed', id: '202202224851151555', duplicates: [] } as const;

export function settledOf(id: string): Settled {
  const write: RecordedWrite = {
    ...{ operation: 'order', terms: TERMS, id, time: 1, reqTime: 1 },
    firstOwner: { pid: 1, startStamp: null },
  };
  return { ...PLACED, write, events: [{ time: 1, event: `placed: ${randomBytes(4).toString('hex')}` }] };
}

/** The files of a folder with their contents. */
export function contents(folder: string): Record<string, Buffer> {
  if (!fs.existsSync(folder)) return {};
  const files = fs.readdirSync(folder).filter((name) => !name.startsWith('.'));
  return Object.fromEntries(files.map((name) => [name, fs.readFileSync(path.join(folder, name))]));
}
