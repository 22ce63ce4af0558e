import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { operationName, type WriteKind } from '../../../src/trading/journal/write.js';
import type { JobRecord, Resolved } from './action.js';
import { plain } from './kinds/terms.js';

/** The folder of the one journal in a PIT_HOME. */
export function journalIn(home: string): string {
  const journals = path.join(home, 'state', 'journal');
  return path.join(journals, readdirSync(journals)[0] ?? '');
}

/** The settled writes of the journal, as rows of `pit resolve`: a command that was killed after it settled reported nothing. */
export function archivedIn(home: string): Resolved[] {
  const folder = path.join(journalIn(home), 'archive');
  const names = readdirSync(folder).filter((name) => !isLeftover(name));
  const lines = names.flatMap((name) => readFileSync(path.join(folder, name), 'utf8').split('\n'));
  return lines.flatMap((text) => {
    const line = text === '' ? undefined : (JSON.parse(text) as ArchivedLine);
    if (line === undefined) return [];
    return 'cancelled' in line ? cancelledRow(line.cancelled) : rowOf(line.settled);
  });
}

/** The jobs of the journal, open and settled. */
export function jobsIn(home: string): JobRecord[] {
  const files = ['unsettled', 'jobs'].flatMap((name) => {
    const folder = path.join(journalIn(home), name);
    // a killed process leaves drafts and the links of its claims behind
    const records = readdirSync(folder).filter((file) => !isLeftover(file));
    return records.map((file) => path.join(folder, file));
  });
  return files.flatMap((file) => {
    const [line] = readFileSync(file, 'utf8')
      .split('\n')
      .filter((one) => one !== '');
    const { write } = (line === undefined ? {} : JSON.parse(line)) as { write?: WrittenWrite };
    if (write?.operation !== 'batch') return [];
    const lines = write.terms.lines?.map(([, price, amount]) => `${plain(price)} ${plain(amount)}`) ?? [];
    return { id: write.id, market: write.terms.market, lines };
  });
}

/** The ids of the writes of a PIT_HOME that are not settled, and the number of leftover drafts and links. */
export function openIn(home: string): { readonly records: string[]; readonly drafts: number } {
  const folder = path.join(journalIn(home), 'unsettled');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const records = names.filter((name) => !isLeftover(name));
  return { records, drafts: names.length - records.length };
}

/** Whether a name in the folder of unsettled writes is that of a draft or of a claim's link. */
export function isLeftover(name: string): boolean {
  return name.startsWith('.');
}

interface WrittenWrite {
  readonly operation: string;
  readonly id: string;
  readonly terms: { readonly market: string; readonly lines?: readonly [number, string, string][] };
}

type ArchivedLine =
  | { readonly settled: ArchivedWrite }
  | { readonly cancelled: { readonly market: string; readonly id: string } };

interface ArchivedWrite {
  readonly write: {
    readonly operation: WriteKind;
    readonly id: string;
    readonly clientId?: string;
    readonly terms: {
      readonly market?: string;
      readonly order?: { readonly id?: string; readonly clientId?: string };
      readonly coin?: string;
      readonly amount?: string;
    };
  };
  readonly outcome: string;
  readonly id: string | null;
  readonly duplicates: readonly string[];
}

/** The row of an order that pit saw cancelled: `pit resolve` shows none. */
function cancelledRow({ market, id }: { readonly market: string; readonly id: string }): Resolved {
  const row = { operation: 'cancelOrder', clientId: '', market, outcome: 'cancelled', id, target: id } as const;
  return { ...row, duplicates: [], timeline: [], isArchived: true };
}

function rowOf({ write, outcome, id, duplicates }: ArchivedWrite): Resolved {
  const { operation, clientId = write.id, terms } = write;
  const { order, coin, amount } = terms;
  const target = order?.id ?? order?.clientId ?? (coin === undefined ? undefined : `withdraw ${amount} ${coin}`);
  const row = {
    operation: operationName(operation),
    clientId,
    market: terms.market ?? '',
    outcome,
    id,
    duplicates,
    timeline: [],
    isArchived: true,
  } as const;
  return target === undefined ? row : { ...row, target };
}
