import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { nodeOptions } from '../../support/command.js';

const files = new Map<string, string>();

/** The environment in which Node first runs a CommonJS module: the single file of pit requires modules, and imports none. */
export function requiring(source: string): Readonly<Record<string, string>> {
  return nodeOptions('--require', files.get(source) ?? written(source));
}

/** A file with the module, until this process ends. */
function written(source: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'pit-module-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'module.cjs');
  writeFileSync(file, source);
  files.set(source, file);
  return file;
}
