import { OtherFormat } from '../exchange/exchange-state.js';
import type { DataDirectory } from '../lifecycle/data-directory.js';
import { BadState, readState, writeState } from '../store/state-file.js';
import { type AdminCall, type AdminInput, AdminRefusal, plainly } from './http.js';
import { demandUntouched } from './replay.js';

/** What `pit sandbox export` and `import` answer. */
export interface StateReport {
  readonly file: string;
  /** Rows of the exchange's data: orders, balances, bills, trades, candles and all the rest. */
  readonly rows: number;
}

/** `POST /export` writes the whole exchange to a `file`, and `POST /import` has it move in. */
export function stateCalls(dataDirectory: DataDirectory): [string, AdminCall][] {
  return [
    ['POST /export', plainly((input) => exportTo(dataDirectory, input.text('file')))],
    ['POST /import', plainly((input) => dataDirectory.alone(() => importFrom(dataDirectory, input)))],
  ];
}

async function exportTo({ exchange }: DataDirectory, file: string): Promise<StateReport> {
  await exchange.durable();
  return saying(file, 'written', () => ({ file, rows: writeState(file, exchange.admin.rows()) }));
}

/** The first account keeps the keys of this sandbox: they stay the same for a `PIT_HOME`. */
async function importFrom(dataDirectory: DataDirectory, input: AdminInput): Promise<StateReport> {
  const file = input.text('file');
  const rows = saying(file, 'read', () => readState(file));
  demandUntouched(dataDirectory.exchange, input, 'Another exchange would take the place of this one');
  try {
    await dataDirectory.replace((directory) => dataDirectory.exchange.admin.restoreInto(directory, rows));
  } catch (error) {
    if (!(error instanceof OtherFormat)) throw error;
    throw new AdminRefusal(
      `${file} cannot be read: ${error.message}`,
      'Import it with the version of pit that wrote it.',
    );
  }
  return { file, rows: rows.length };
}

function saying<Result>(file: string, what: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const hint = error instanceof BadState ? 'Export it again, with the version of pit that reads it.' : null;
    throw new AdminRefusal(`${file} cannot be ${what}: ${reason}`, hint);
  }
}
