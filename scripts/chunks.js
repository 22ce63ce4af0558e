// Splits the bundle into files that a command loads only if it uses them. A module belongs to the first of the chunks
// below that names it, or whose entries import it; what is imported on demand, with import(), has to be an entry itself. In a
// chunk each module is run when something of it is first used.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

/** What nearly all commands use, then what the most frequent ones use: just these modules of our own, in src/. */
const FREQUENT = {
  main: [
    'main',
    'errors',
    'version',
    'cli/answers',
    'cli/definition',
    'cli/help-text',
    'cli/hints',
    'cli/run',
    'cli/shapes',
    'commands/dry-run',
    'commands/index',
    'commands/inputs',
    'commands/names',
    'commands/session/completion-names',
    'commands/session/context',
    'commands/session/sandbox',
    'commands/session/seen-names',
    'commands/session/session',
    'config/cache',
    'config/private-files',
    'config/profiles',
    'config/settings',
    'config/store',
    'config/stream-settings',
    'domain/decimal',
    'exchange/budget',
    'exchange/stream/protocol',
    'platform/directories',
    'platform/host',
    'platform/installation',
    'platform/job-control',
    'platform/redaction',
    'terminal/json',
    'terminal/output',
    'terminal/palette',
    'terminal/screen',
    'terminal/text',
  ],
  profiles: ['commands/profile'],
  table: ['terminal/bar', 'terminal/cells', 'terminal/table'],
  exchange: [
    'commands/depth',
    'commands/watch/watch',
    'config/connection',
    'config/keys',
    'config/urls',
    'domain/book',
    'domain/candle',
    'domain/coin',
    'domain/market',
    'exchange/exchange-api',
    'exchange/exchange-client',
    'exchange/market-catalog',
    'exchange/operations/fields',
    'exchange/operations/index',
    'exchange/operations/market-data',
    'exchange/operations/operation',
    'exchange/wire-fields',
    'exchange/request',
    'exchange/response',
    'exchange/transport',
    'platform/bounded-file',
    'platform/json',
    'terminal/time',
  ],
  signed: [
    'exchange/exchange-clock',
    'exchange/limiter/file-store',
    'exchange/limiter/limiter',
    'exchange/limiter/shared-limits',
    'exchange/observed-codes',
    'exchange/operations/funds',
    'exchange/operations/trading',
    'exchange/signing',
    'platform/processes',
  ],
  order: [
    'cli/consent',
    'commands/guard-overrides',
    'commands/order/confirm',
    'commands/order/fills-so-far',
    'commands/order/order',
    'commands/order/preview',
    'commands/session/duplicate-warnings',
    'commands/session/outcome-countdown',
    'exchange/growing-pages',
    'exchange/write-requests',
    'trading/expressions',
    'trading/guards/guards',
    'trading/guards/limits',
    'trading/journal/archive',
    'trading/journal/entry',
    'trading/journal/files',
    'trading/journal/journal',
    'trading/journal/record',
    'trading/journal/write',
    'trading/market-view',
    'trading/orders/place',
    'trading/orders/reconcile-input',
    'trading/orders/settle-order',
    'trading/orders/terms',
    'trading/orders/verify-orders',
    'trading/preview/market-snapshot',
    'trading/reconcile',
    'trading/request-lifetime',
  ],
};

/** The entries of the other chunks, which hold all that these import; a folder stands for all that is in it. */
const CHUNKS = {
  market: ['commands/session/update-notice', 'commands/markets', 'commands/ticker', 'commands/trades'],
  setup: ['commands/keys'],
  asking: ['terminal/asking'],
  guided: ['commands/order/guided'],
  orders: ['commands/orders', 'commands/fills', 'commands/order', 'commands/cancel', 'commands/resolve'],
  funds: ['commands/account', 'commands/funds', 'commands/withdraw'],
  stream: ['commands/stream', 'commands/watch', 'exchange/mirror', 'exchange/stream'],
  screen: ['commands/market-screen', 'commands/shell', 'terminal/live', 'terminal/charts'],
  serve: ['sandbox'],
  other: ['commands', 'cli', 'config', 'domain', 'exchange', 'platform', 'terminal', 'trading'],
};

const NAMES = [...Object.keys(FREQUENT), ...Object.keys(CHUNKS)];

/** Whether a module is pit's own: it is run when another one first uses something of it. */
const isOwn = (file) => file.startsWith('src/');

/** Packages that each chunk has a copy of, as far as it uses them, which is little. */
const COPIED = /^node_modules\/valibot\//;

/** The file of a module in another chunk, as the bundles require it. */
const inChunk = (chunk, module) => `./${chunk}.cjs?${module}`;

/**
 * Returns the entry points of all chunks, and the plugin that makes them.
 *
 * @param options of the build; its entry point is the program as a whole
 */
export async function chunksOf(root, options) {
  const { metafile } = await build({ ...options, metafile: true, write: false });
  // what other plugins make has a name with a colon, and is made again in each chunk
  const isFile = (name) => !name.includes(':');
  const imports = new Map(
    Object.entries(metafile.inputs)
      .filter(([file]) => isFile(file))
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([file, input]) => [file, input.imports.filter((one) => !one.external && isFile(one.path))]),
  );
  const chunkOf = assigned(root, imports);
  const entered = new Map(NAMES.map((chunk) => [chunk, new Set()]));
  for (const [file, targets] of imports)
    for (const { path: target } of targets)
      if (chunkOf.get(target) !== chunkOf.get(file) || (isOwn(file) && isOwn(target)))
        entered.get(chunkOf.get(target)).add(target);
  entered.get('main').add('src/main.ts');
  const isUsed = (chunk) => entered.get(chunk).size > 0;
  return {
    entryPoints: NAMES.filter(isUsed).map((chunk) => ({ in: `chunk:${chunk}`, out: chunk })),
    plugin: plugin(root, imports, chunkOf, entered),
  };
}

function assigned(root, imports) {
  const chunkOf = new Map();
  const assign = (chunk, entries, takes) => {
    const waiting = entries.flatMap((entry) => filesOf(root, entry)).filter((file) => imports.has(file));
    for (const file of waiting) {
      if (chunkOf.has(file)) continue;
      chunkOf.set(file, chunk);
      const targets = imports.get(file).filter(({ kind, path: target }) => kind !== 'dynamic-import' && takes(target));
      waiting.push(...targets.map(({ path: target }) => target));
    }
  };
  for (const [chunk, entries] of Object.entries(FREQUENT)) assign(chunk, entries, (target) => !isOwn(target));
  for (const [chunk, entries] of Object.entries(CHUNKS)) assign(chunk, entries, () => true);
  const left = [...imports.keys()].filter((file) => !chunkOf.has(file));
  if (left.length > 0) throw new Error(`in no chunk: ${left.join(', ')}`);
  return chunkOf;
}

function filesOf(root, entry) {
  const folder = path.join(root, 'src', entry);
  const files = readdirSync(path.dirname(folder), { withFileTypes: true });
  const isFolder = files.some((one) => one.name === path.basename(folder) && one.isDirectory());
  if (!isFolder) return [`src/${entry}.ts`];
  const names = readdirSync(folder, { recursive: true }).map((name) => `src/${entry}/${name.replaceAll('\\', '/')}`);
  // the order of a folder is up to the system, and two builds are to be equal
  return names.sort();
}

const plugin = (root, imports, chunkOf, entered) => ({
  name: 'chunks',
  setup({ onResolve, onLoad }) {
    const targets = new Map(
      [...imports].map(([file, all]) => [file, new Map(all.map(({ original, path: target }) => [original, target]))]),
    );
    onResolve({ filter: /.*/, namespace: 'file' }, ({ path: name, importer }) => {
      const file = path.relative(root, importer).replaceAll('\\', '/');
      const target = targets.get(file)?.get(name);
      if (target === undefined) return undefined;
      const place = inChunk(chunkOf.get(target), target);
      if (isOwn(file) && isOwn(target)) return { path: place, external: true };
      const isHere = chunkOf.get(target) === chunkOf.get(file) || COPIED.test(target);
      return isHere ? undefined : { path: place, namespace: 'crossing' };
    });
    onResolve({ filter: /.*/, namespace: 'crossing' }, ({ path: name }) => ({ path: name, external: true }));
    onLoad({ filter: /.*/, namespace: 'crossing' }, ({ path: name }) => ({
      contents: `export * from ${JSON.stringify(name)}; export { default } from ${JSON.stringify(name)};`,
    }));
    onResolve({ filter: /^chunk:/ }, ({ path: name }) => ({ path: name.slice('chunk:'.length), namespace: 'chunk' }));
    onLoad({ filter: /.*/, namespace: 'chunk' }, ({ path: chunk }) => {
      const getters = [...entered.get(chunk)]
        .sort()
        .map((file) => `get ${JSON.stringify(file)}() { return require(${JSON.stringify(path.join(root, file))}); }`);
      return { contents: `module.exports = { ${getters.join(',\n')} };`, resolveDir: root };
    });
  },
});
