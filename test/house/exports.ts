import path from 'node:path';
import { isNode, type Node, statementsOf, textOf } from './sources.js';

/** A name that a file gives or takes: `*` for all of its names. */
export interface Name {
  readonly file: string;
  readonly name: string;
}

/** The names that a file exports, but for its default, which whoever loads the file takes. */
export function namesGiven(file: string, text = textOf(file)): Name[] {
  const exported = statementsOf(text).filter(({ type }) => type === 'ExportNamedDeclaration');
  return exported
    .flatMap((node) => [...declared(node), ...specified(node, 'exported')])
    .map((name) => ({ file, name }));
}

/** Statements that take names, as the formatter leaves them: to parse whole files for these takes long. */
const TAKING = /^\s*(?:import|export)\s[\w\s{},*]*?\sfrom '[^']*';/gm;

/** The names that a file takes from others of ours, to use them or to pass them on. */
export function namesTaken(file: string, text = textOf(file)): Name[] {
  const late = [...text.matchAll(/\bimport\('(\.[^']*)'\)/g)].map(([, source]) => ({
    file: target(file, source),
    name: '*',
  }));
  return (text.match(TAKING) ?? [])
    .flatMap((statement) => statementsOf(statement))
    .flatMap((node) => {
      const { source } = node;
      if (!isNode(source) || !String(source.value).startsWith('.')) return [];
      const names = node.type === 'ExportAllDeclaration' ? ['*'] : specified(node, 'imported', 'local');
      return names.map((name) => ({ file: target(file, source.value), name }));
    })
    .concat(late);
}

function target(from: string, source: unknown): string {
  return path.posix.join(path.posix.dirname(from), String(source)).replace(/\.js$/, '.ts');
}

function declared({ declaration }: Node): string[] {
  if (!isNode(declaration)) return [];
  const { id, declarations = [] } = declaration;
  const all = Array.isArray(declarations) ? [{ id }, ...declarations] : [{ id }];
  return all.flatMap((one: { readonly id?: unknown }) => nameOf(one.id));
}

/** Of each specifier the first of these that it has; all names for a namespace. */
function specified({ type, specifiers }: Node, ...parts: readonly string[]): string[] {
  const passedOn = type === 'ExportNamedDeclaration' && !parts.includes('exported') ? ['local'] : parts;
  return (Array.isArray(specifiers) ? specifiers.filter(isNode) : []).flatMap((one) => {
    if (one.type === 'ImportNamespaceSpecifier') return ['*'];
    return nameOf(one[passedOn.find((part) => isNode(one[part])) ?? '']);
  });
}

function nameOf(node: unknown): string[] {
  return isNode(node) && node.type === 'Identifier' ? [String(node.name)] : [];
}
