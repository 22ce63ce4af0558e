import fs from 'node:fs';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import { Failure, usage } from '../../errors.js';
import { cannotWriteOutput } from '../../platform/private-files.js';
import type { Row, SeriesFile } from './series-file.js';

/** Rows that are in memory at once. */
const GROUP_ROWS = 10_000;

/**
 * Writes all rows of a file as Parquet, replacing the target when it is whole. Every column is text: prices and amounts keep
 * their digits. Throws Failure `usage` if it cannot be written.
 */
export function writeParquet(source: SeriesFile, fields: readonly string[], target: string): void {
  const draft = `${target}.new`;
  try {
    const writer = new ParquetWriter({
      writer: fileWriter(draft),
      schema: [
        { name: 'root', num_children: fields.length },
        ...fields.map((name) => ({
          name,
          type: 'BYTE_ARRAY' as const,
          converted_type: 'UTF8' as const,
          repetition_type: 'REQUIRED' as const,
        })),
      ],
      createdBy: 'pit',
    });
    for (const rows of source.blocks(GROUP_ROWS)) {
      const columnData = fields.map((name) => ({ name, data: rows.map((row) => row[name] ?? '') }));
      void writer.write({ columnData, rowGroupSize: GROUP_ROWS });
    }
    void writer.finish();
    fs.renameSync(draft, target);
  } catch (error) {
    fs.rmSync(draft, { force: true });
    throw error instanceof Failure ? error : cannotWriteOutput(target, error);
  }
}

/** Adds the rows of a Parquet file that {@link writeParquet} wrote. Throws Failure `usage` if it holds something else. */
export async function readParquet(name: string, fields: readonly string[], target: SeriesFile): Promise<void> {
  const isOther = () => usage(`${name} holds something else.`, `Its rows would have to be: ${fields.join(', ')}.`);
  try {
    const file = await asyncBufferFromFile(name);
    const metadata = await parquetMetadataAsync(file);
    const columns = metadata.schema.slice(1).map((column) => column.name);
    if (columns.join() !== fields.join()) throw isOther();
    const count = Number(metadata.num_rows);
    for (let start = 0; start < count; start += GROUP_ROWS) {
      const rows = await parquetReadObjects({
        file,
        metadata,
        rowStart: start,
        rowEnd: Math.min(count, start + GROUP_ROWS),
      });
      target.append(rows as Row[]);
    }
  } catch (error) {
    throw error instanceof Failure ? error : isOther();
  }
}
