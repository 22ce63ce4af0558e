// The arrows of the architecture and the one home of each library, imports of types included. `npm run check` holds them.
const SUBJECTS = ['cli', 'commands', 'config', 'domain', 'exchange', 'platform', 'sandbox', 'terminal', 'trading'];

/** What the files of a subject may import besides their own folder. */
const ARROWS = {
  domain: [],
  platform: ['errors'],
  config: ['domain', 'platform', 'errors'],
  terminal: ['domain', 'platform', 'errors'],
  exchange: ['config', 'domain', 'platform', 'errors'],
  trading: ['exchange', 'config', 'domain', 'platform', 'errors'],
  cli: ['terminal', 'config', 'domain', 'platform', 'errors', 'version'],
  commands: ['cli', 'trading', 'terminal', 'exchange', 'config', 'sandbox', 'domain', 'platform', 'errors', 'version'],
  // it verifies by its own reading of the interface's document: never by signing, trading or the http client
  sandbox: ['exchange/operations', 'exchange/channels', 'domain', 'platform', 'errors'],
};

/** The only places that import a library. */
const HOMES = {
  commander: 'cli',
  inquirer: 'terminal',
  '@inquirer/core': 'terminal',
  chalk: 'terminal',
  'cli-table3': 'terminal',
  'csv-stringify': 'terminal',
  'string-width': 'terminal',
  uqr: 'terminal',
  got: 'exchange',
  'https-proxy-agent': 'exchange/network',
  'proxy-from-env': 'exchange/network',
  '@redis/client': 'exchange/limiter',
  // what is read: answers of the exchange, calls of the administration, arguments of tools, records of algo orders
  valibot: '(exchange|sandbox/admin|commands/mcp|trading/algos)',
  '@valibot/to-json-schema': 'commands/mcp',
  conf: 'config',
  'proper-lockfile': 'platform',
  'fastest-levenshtein': 'config',
  'env-paths': 'platform',
  'lossless-json': 'platform',
  hyparquet: '(commands/history|sandbox/replay)',
  'hyparquet-writer': 'commands/history',
  '@modelcontextprotocol/server': 'commands/mcp',
  lmdb: 'sandbox',
  // the client speaks it, the exchange in a box serves it
  ws: '(exchange|sandbox)',
};

const arrows = SUBJECTS.map((subject) => ({
  name: `arrow-${subject}`,
  comment: `src/${subject} may import: ${['itself', ...ARROWS[subject]].join(', ')}.`,
  severity: 'error',
  from: { path: `^src/${subject}/` },
  to: { path: '^src/', pathNot: [subject, ...ARROWS[subject]].map((name) => `^src/${name}(/|\\.ts$)`) },
}));

const homes = Object.entries(HOMES).map(([library, home]) => ({
  name: `home-of-${library}`,
  comment: `${library} is imported in src/${home} only.`,
  severity: 'error',
  from: { path: '^src/', pathNot: `^src/${home}/` },
  to: { path: `^node_modules/${library}/` },
}));

export default {
  forbidden: [
    ...arrows,
    ...homes,
    {
      name: 'seam',
      comment: 'Above the exchange only its interface, its factory and the description of its interface are imported.',
      severity: 'error',
      from: { path: '^src/(commands|trading|cli|terminal)/|^src/[^/]+$' },
      to: { path: '^src/exchange/', pathNot: '^src/exchange/(exchange|connect|description)\\.ts$' },
    },
    {
      name: 'seam-of-trading',
      comment:
        'Trading code knows the interface of an exchange, and neither where it comes from nor what it calls things.',
      severity: 'error',
      from: { path: '^src/trading/' },
      to: { path: '^src/exchange/', pathNot: '^src/exchange/exchange\\.ts$' },
    },
    {
      name: 'pure-engine',
      comment: 'The matching engine sees values only: no clock, no files, no network, no randomness.',
      severity: 'error',
      from: { path: '^src/sandbox/engine/' },
      to: { pathNot: ['^src/sandbox/engine/', '^src/domain/'] },
    },
    {
      name: 'pure-domain',
      comment: 'Domain values need nothing of the runtime.',
      severity: 'error',
      from: { path: '^src/domain/' },
      to: { pathNot: '^src/domain/' },
    },
    {
      name: 'library-without-a-home',
      comment: 'A new library gets its home in HOMES.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^node_modules/', pathNot: Object.keys(HOMES).map((library) => `^node_modules/${library}/`) },
    },
    {
      name: 'no-circular',
      comment: 'No file imports itself by way of others, not even a type, or later on with import().',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-unresolvable',
      comment: 'Every import leads to a file.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    parser: 'swc',
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
