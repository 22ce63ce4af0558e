// Lets a module of a bundle load what it imports when it first uses it. esbuild runs all imports of a module before the module;
// most of them are not used by most commands, and some of Node's own are slow to load.

/** Modules that Node has always loaded. */
const AT_ONCE = /^node:(fs|path|process|buffer)$/;

const HELPERS = `var __lazily = (load) => { let loaded; return () => loaded ??= load(); };
var __apart = (loaded) => loaded.__esModule ? loaded : { ...loaded, default: loaded };
var __ofNode = (loaded) => ({ __proto__: loaded, default: loaded });
`;

/** A bundle of esbuild in CommonJS, not minified, with its imports made lazy. Throws if it uses one in an unknown way. */
export function lazyImports(text) {
  const names = new Set();
  const code = text
    // exports of ES modules need no copies
    .replace(/__toESM\((require\("\.\/[\w-]+\.cjs\?src\/[^"]+"\))(?:, 1)?\)/g, '$1')
    .replace(/__toESM\((require\("\.\/[\w-]+\.cjs"\))(?:, 1)?\)/g, '__apart($1)')
    // nor do Node's modules: each importing module would make its own
    .replace(/__toESM\((require\("node:\w+(?:\/\w+)?"\))(?:, 1)?\)/g, '__ofNode($1)')
    .replace(/(get "src\/[^"]+"\(\) \{\s+return init_\w+\(\), )__toCommonJS\((\w+)\)/g, '$1$2')
    .replace(
      /^(\s*)(var )?(import_\w+) = ((?:__(?:toESM|apart|ofNode)\()?require\("([^"]+)"\)(?:, 1)?\)?);$/gm,
      (line, space, declared = '', name, load, id) => {
        if (AT_ONCE.test(id)) return line;
        names.add(name);
        return `${space}${declared}${name} = __lazily(() => ${load});`;
      },
    );
  const constructed = code.replace(/\bnew (import_\w+)((?:\.\w+)+)/g, (made, name, member) =>
    names.has(name) ? `new (${name}${member})` : made,
  );
  const used = constructed.replace(/\bimport_\w+\b(?=(\.(?!\.)|\s*[,;=]|))/g, (name, after) => {
    if (!names.has(name)) return name;
    if (after === '.') return `${name}()`;
    if (after === '') throw new Error(`${name} is used as a value`);
    return name;
  });
  return HELPERS + used;
}
