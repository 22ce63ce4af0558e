import fs from 'node:fs';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { Replacement } from '../../platform/files/replacement.js';
import { beginReplacement, cannotWriteOutput } from '../named-files/output.js';
import { otherFile, type RowCheck, type SeriesFile, type SeriesRow, UnusableFile } from './series-file.js';

/** Rows that are in memory at once. */
const GROUP_ROWS = 10_000;

/**
 * Writes all rows of a file as Parquet, replacing the target when it is whole. Every column is text: prices and amounts keep
 * their digits. Throws Failure `usage` if it cannot be written.
 */
export function writeParquet(source: SeriesFile, fields: readonly string[], target: string): void {
  let replacement: Replacement | undefined;
  try {
    replacement = beginReplacement(target, 'public');
    const { descriptor } = replacement;
    const bytes = new ByteWriter();
    const flush = () => {
      fs.writeFileSync(descriptor, bytes.getBytes());
      bytes.index = 0;
    };
    const writer = new ParquetWriter({
      writer: bytes,
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
      flush();
    }
    void writer.finish();
    flush();
    replacement.commit();
  } catch (error) {
    throw cannotWriteOutput(target, error);
  } finally {
    replacement?.close();
  }
}

/** Whether a file is a Parquet file with these columns. */
export async function hasColumns(name: string, fields: readonly string[]): Promise<boolean> {
  return (await opened(name, fields)) !== undefined;
}

/**
 * Adds the rows of a Parquet file that {@link writeParquet} wrote. Throws {@link UnusableFile} if it is another file or has an
 * invalid row.
 */
export async function readParquet(
  name: string,
  { fields, check }: { readonly fields: readonly string[]; readonly check: RowCheck },
  target: SeriesFile,
): Promise<void> {
  const found = await opened(name, fields);
  if (found === undefined) throw otherFile(name, fields);
  const { file, metadata } = found;
  const count = Number(metadata.num_rows);
  check.begin();
  for (let start = 0; start < count; start += GROUP_ROWS) {
    const group = { file, metadata, rowStart: start, rowEnd: Math.min(count, start + GROUP_ROWS) };
    const rows = (await parquetReadObjects(group).catch(() => {
      throw otherFile(name, fields);
    })) as SeriesRow[];
    for (const [index, row] of rows.entries()) {
      const problem = check.problem(row);
      if (problem !== undefined)
        throw new UnusableFile(`${name}: row ${start + index + 1} ${problem}.`, 'Give another file.');
    }
    target.append(rows);
  }
}

/** Undefined for a file that is not a Parquet file with these columns. */
async function opened(name: string, fields: readonly string[]) {
  try {
    const file = await asyncBufferFromFile(name);
    const metadata = await parquetMetadataAsync(file);
    const columns = metadata.schema.slice(1).map((column) => column.name);
    return columns.join() === fields.join() ? { file, metadata } : undefined;
  } catch {
    return undefined;
  }
}
