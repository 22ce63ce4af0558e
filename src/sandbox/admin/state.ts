import { UnreadableStore } from '../failures.js';
import type { DataDirectory } from '../lifecycle/data-directory.js';
import { BadState, openState, writeState } from '../store/state-file.js';
import { Store } from '../store/store.js';
import { type AdminCall, type AdminInput, AdminRefusal, jsonCall } from './http.js';
import { requireUntouched } from './replay.js';

/** What `pit sandbox export` and `import` report. */
export interface StateReport {
  readonly file: string;
  /** Rows of the exchange's data: orders, balances, bills, trades, candles and so on. */
  readonly rows: number;
}

/** `POST /export` writes the exchange to a `file`; `POST /import` replaces the exchange with that of a file. */
export function stateCalls(dataDirectory: DataDirectory): [string, AdminCall][] {
  return [
    ['POST /export', jsonCall((input) => exportTo(dataDirectory, input.text('file')))],
    ['POST /import', jsonCall((input) => dataDirectory.alone(() => importFrom(dataDirectory, input)))],
  ];
}

async function exportTo({ exchange }: DataDirectory, file: string): Promise<StateReport> {
  await exchange.durable();
  return saying(file, 'written', () => ({ file, rows: writeState(file, exchange.store.rows()) }));
}

/** The first account keeps this sandbox's keys, which never change for a `PIT_HOME`. */
async function importFrom(dataDirectory: DataDirectory, input: AdminInput): Promise<StateReport> {
  const file = input.text('file');
  const state = saying(file, 'read', () => openState(file));
  try {
    requireUntouched(dataDirectory.exchange, input, 'The import replaces this exchange');
    await dataDirectory.replace(async (directory) => {
      const { keys } = dataDirectory;
      await Store.fill(directory, state.rows());
      const restored = await dataDirectory.open(directory);
      restored.customers.replaceKeysOfFirst(keys);
      restored.changed();
      await restored.close();
    });
  } catch (error) {
    if (!(error instanceof UnreadableStore)) throw error;
    throw new AdminRefusal(
      `${file} cannot be read: ${error.message}`,
      'Import it with the version of pit that wrote it.',
    );
  } finally {
    state.close();
  }
  return { file, rows: state.count };
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
