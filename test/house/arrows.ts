import type { Import } from './sources.js';

/** What anything but protocol may use. */
const SHARED = ['src/errors', 'src/host', 'src/processes'] as const;

/**
 * The parts of the house and what each may import beside itself. A file belongs to the part with the longest name that
 * it begins with.
 */
export const ARROWS: Readonly<Record<string, readonly string[]>> = {
  'src/main': ['src/pit', 'src/version'],
  'src/pit': ['src/commands', 'src/terminal', ...SHARED],
  'src/commands': ['src/trading', 'src/terminal', 'src/client', 'src/config', 'src/sandbox', 'src/version']
    .concat(SHARED)
    .concat('src/protocol', 'src/protocol/decimal'),
  'src/trading': ['src/client', 'src/config', 'src/protocol', 'src/protocol/decimal', ...SHARED],
  'src/client': ['src/config', 'src/protocol', 'src/protocol/decimal', ...SHARED],
  'src/config': ['src/protocol', 'src/protocol/decimal', ...SHARED],
  'src/terminal': ['src/protocol', 'src/protocol/decimal', ...SHARED],
  // it verifies signatures by its own reading of the document
  'src/sandbox': ['src/sandbox/engine', 'src/protocol', 'src/protocol/decimal', ...SHARED],
  'src/sandbox/engine': ['src/protocol/decimal'],
  'src/protocol': ['src/protocol/signing', 'src/protocol/decimal'],
  'src/protocol/signing': [],
  'src/protocol/decimal': [],
  'src/host': ['src/errors', 'src/redaction'],
  'src/errors': [],
  'src/processes': [],
  'src/redaction': [],
  'src/version': [],
};

/** Each library's one home. */
export const HOMES: Readonly<Record<string, string>> = {
  '@redis/client': 'src/client/',
  '@inquirer/core': 'src/terminal/',
  chalk: 'src/terminal/',
  'cli-table3': 'src/terminal/',
  commander: 'src/commands/',
  conf: 'src/config/',
  'csv-stringify': 'src/terminal/',
  'env-paths': 'src/host.ts',
  'fastest-levenshtein': 'src/config/',
  got: 'src/client/',
  inquirer: 'src/terminal/',
  lmdb: 'src/sandbox/',
  'lossless-json': 'src/protocol/',
  'proper-lockfile': 'src/config/',
  'string-width': 'src/terminal/',
  uqr: 'src/terminal/',
  valibot: 'src/protocol/',
};

/** Parts without a clock, files or a network see no module of Node's either. */
const PURE = ['src/sandbox/engine/', 'src/protocol/decimal.ts'];

/** What is wrong with these imports, a line each; nothing when every arrow points the right way. */
export function complaints(imports: readonly Import[]): string[] {
  return imports.flatMap(({ from, to }) => {
    const complaint = to.startsWith('src/') ? wrongArrow(from, to) : wrongHome(from, to);
    return complaint === null ? [] : [`${from} imports ${to}: ${complaint}`];
  });
}

function wrongArrow(from: string, to: string): string | null {
  const [own, other] = [partOf(from), partOf(to)];
  if (own === undefined || other === undefined) return 'a part that the house does not know';
  return own === other || ARROWS[own]?.includes(other) ? null : `${own} may not see ${other}`;
}

function wrongHome(from: string, to: string): string | null {
  if (to.startsWith('node:')) return PURE.some((pure) => from.startsWith(pure)) ? 'this part is pure' : null;
  const home = Object.hasOwn(HOMES, to) ? HOMES[to] : undefined;
  if (home === undefined) return 'a library without a home';
  return from.startsWith(home) ? null : `its home is ${home}`;
}

export function partOf(file: string): string | undefined {
  return Object.keys(ARROWS)
    .filter((part) => file === `${part}.ts` || file.startsWith(`${part}/`))
    .sort((left, right) => right.length - left.length)[0];
}
