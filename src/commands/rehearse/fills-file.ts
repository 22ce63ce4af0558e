import { quoted, usage } from '../../errors.js';
import { toCsv } from '../../terminal/csv.js';
import { toJson } from '../../terminal/json.js';
import { isoTime } from '../../terminal/time.js';
import { OutputTarget } from '../named-files/output.js';
import type { Context } from '../session/command.js';
import type { RehearsedFill } from './account-record.js';

const FIELDS = ['time', 'orderId', 'clientId', 'market', 'side', 'price', 'amount', 'value', 'fee', 'feeCoin'];

/** The file of `--out`: a line for each fill, oldest first. */
export class FillsFile {
  readonly #target: OutputTarget;
  readonly #isCsv: boolean;

  /** Throws Failure `usage` for another ending than `.csv` and `.ndjson`, and if the file cannot be written. */
  constructor(context: Context, name: string, isForced: boolean) {
    this.#isCsv = /\.csv$/i.test(name);
    if (!this.#isCsv && name !== '-' && !/\.ndjson$/i.test(name))
      throw usage(`The format of ${quoted(name)} is not clear.`, 'The fills are .csv or .ndjson.');
    const isOurs = (head: string) => head.startsWith(this.#isCsv ? `${FIELDS.join(',')}\n` : '{"time":"');
    this.#target = new OutputTarget(context, name, { isForced, isOurs });
  }

  async write(fills: readonly RehearsedFill[]): Promise<void> {
    const rows = fills.map((fill) => ({ ...fill, time: isoTime(fill.time) }));
    await this.#target.write(this.#isCsv ? [toCsv(rows, FIELDS)] : rows.map((row) => `${toJson(row)}\n`));
  }
}
