import fs from 'node:fs';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import { Failure } from '../../errors.js';
import { cannotWriteOutput, Draft } from '../named-files/output.js';
import { type Row, type RowCheck, type SeriesFile, UnusableFile } from './series-file.js';

/** Rows that are in memory at once. */
const GROUP_ROWS = 10_000;

/**
 * Writes all rows of a file as Parquet, replacing the target when it is whole. Every column is text: prices and amounts keep
 * their digits. Throws Failure `usage` if it cannot be written.
 */
export function writeParquet(source: SeriesFile, fields: readonly string[], target: string): void {
  let draft: Draft | undefined;
  try {
    draft = new Draft(target);
    const writer = new ParquetWriter({
      writer: fileWriter(draft.path),
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
    draft.commit();
  } catch (error) {
    throw error instanceof Failure ? error : cannotWriteOutput(target, error);
  } finally {
    draft?.discard();
    if (draft !== undefined) fs.closeSync(draft.descriptor);
  }
}

/** Throws {@link UnusableFile} if a file is not a Parquet file with these columns. */
export async function requireColumns(name: string, fields: readonly string[]): Promise<void> {
  await open(name, fields);
}

/**
 * Adds the rows of a Parquet file that {@link writeParquet} wrote. Throws {@link UnusableFile} if it holds something else or a row
 * that is not right.
 */
export async function readParquet(
  name: string,
  { fields, check }: { readonly fields: readonly string[]; readonly check: RowCheck },
  target: SeriesFile,
): Promise<void> {
  const { file, metadata } = await open(name, fields);
  const count = Number(metadata.num_rows);
  check.begin();
  for (let start = 0; start < count; start += GROUP_ROWS) {
    const group = { file, metadata, rowStart: start, rowEnd: Math.min(count, start + GROUP_ROWS) };
    const rows = (await parquetReadObjects(group).catch(() => {
      throw isOther(name, fields);
    })) as Row[];
    for (const [index, row] of rows.entries()) {
      const problem = check.problem(row);
      if (problem !== undefined)
        throw new UnusableFile(`${name}: row ${start + index + 1} ${problem}.`, 'Give another file.');
    }
    target.append(rows);
  }
}

async function open(name: string, fields: readonly string[]) {
  try {
    const file = await asyncBufferFromFile(name);
    const metadata = await parquetMetadataAsync(file);
    const columns = metadata.schema.slice(1).map((column) => column.name);
    if (columns.join() === fields.join()) return { file, metadata };
  } catch {
    // refused below, like a file with other columns
  }
  throw isOther(name, fields);
}

function isOther(name: string, fields: readonly string[]): Failure {
  return new UnusableFile(`${name} holds something else.`, `Its rows would have to be: ${fields.join(', ')}.`);
}
