import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from '@babel/parser';

export const ROOT = path.resolve(import.meta.dirname, '../..');

export interface Import {
  /** The importing file, from the project's root, with slashes. */
  readonly from: string;
  /** A file of ours in the same form, or a package's name, or `node:…`; `(computed)` where only running it tells. */
  readonly to: string;
}

/** Every TypeScript file under a folder, from the project's root. */
export function filesUnder(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${folder}/${file.replaceAll(path.sep, '/')}`)
    .sort();
}

export function textOf(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

export interface Node {
  readonly type: string;
  readonly [name: string]: unknown;
}

/** Every node of a file's syntax tree, types included. */
export function nodesOf(text: string): Node[] {
  return [...walk(programOf(text))];
}

/** What stands at the top of a file. */
export function statementsOf(text: string): Node[] {
  const statements: readonly unknown[] = programOf(text).body;
  return statements.filter(isNode);
}

function programOf(text: string) {
  return parse(text, {
    sourceType: 'module',
    plugins: ['typescript', 'estree'],
    createImportExpressions: true,
  }).program;
}

function* walk(value: unknown): Generator<Node> {
  if (typeof value !== 'object' || value === null) return;
  if (isNode(value)) yield value;
  for (const inner of Object.values(value)) yield* walk(inner);
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** Static, dynamic and type-only imports, and exports from elsewhere. */
const IMPORTING = new Set([
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
]);

export function importsIn(from: string, text: string): Import[] {
  return (
    nodesOf(text)
      .filter(({ type }) => IMPORTING.has(type))
      // an import of a type within a type has its name as an argument
      .map(({ source, argument }) => source ?? argument)
      .filter((source) => source !== null && source !== undefined)
      .map((source) => ({ from, to: target(from, source) }))
  );
}

function target(from: string, source: unknown): string {
  const name = isNode(source) && typeof source.value === 'string' ? source.value : '(computed)';
  if (name.startsWith('.')) return path.posix.join(path.posix.dirname(from), name).replace(/\.js$/, '.ts');
  return name.startsWith('node:') ? name : packageOf(name);
}

/** `csv-stringify/sync` is a part of csv-stringify, `@scope/name/part` one of @scope/name. */
function packageOf(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}
