// Splits the bundle into files that a command loads only if it uses them. A module belongs to the first of the chunks
// below whose entries import it; what is imported on demand, with import(), has to be an entry itself. In a chunk each
// module is run when it is first imported.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

/** The entries of each chunk, in src/, without the ending; a folder stands for all that is in it. */
const CHUNKS = {
  main: ['main'],
  exchange: ['commands/session/context', 'commands/depth', 'commands/markets', 'commands/ticker', 'commands/trades'],
  setup: ['commands/profile', 'commands/keys'],
  order: ['commands/order/order'],
  orders: ['commands/orders', 'commands/fills', 'commands/order', 'commands/cancel', 'commands/resolve'],
  guided: ['commands/order/guided'],
  funds: ['commands/account', 'commands/funds', 'commands/withdraw'],
  stream: ['commands/stream', 'commands/watch', 'exchange/mirror', 'exchange/stream'],
  screen: ['commands/market-screen', 'commands/shell', 'terminal/live', 'terminal/charts'],
  serve: ['sandbox'],
  other: ['commands', 'cli', 'config', 'exchange', 'platform', 'terminal', 'trading'],
};

/** Whether a module is pit's own: it is run when another one first uses something of it. */
const isOwn = (file) => file.startsWith('src/');

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
  const entered = new Map(Object.keys(CHUNKS).map((chunk) => [chunk, new Set()]));
  for (const [file, targets] of imports)
    for (const { path: target } of targets)
      if (chunkOf.get(target) !== chunkOf.get(file) || (isOwn(file) && isOwn(target)))
        entered.get(chunkOf.get(target)).add(target);
  entered.get('main').add('src/main.ts');
  const isUsed = (chunk) => entered.get(chunk).size > 0;
  return {
    entryPoints: Object.keys(CHUNKS)
      .filter(isUsed)
      .map((chunk) => ({ in: `chunk:${chunk}`, out: chunk })),
    plugin: plugin(root, imports, chunkOf, entered),
  };
}

function assigned(root, imports) {
  const chunkOf = new Map();
  for (const [chunk, entries] of Object.entries(CHUNKS)) {
    const waiting = entries.flatMap((entry) => filesOf(root, entry)).filter((file) => imports.has(file));
    for (const file of waiting) {
      if (chunkOf.has(file)) continue;
      chunkOf.set(file, chunk);
      waiting.push(...imports.get(file).flatMap(({ path: target, kind }) => (kind === 'dynamic-import' ? [] : target)));
    }
  }
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
      return chunkOf.get(target) === chunkOf.get(file) ? undefined : { path: place, namespace: 'crossing' };
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
