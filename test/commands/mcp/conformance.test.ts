import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { afterFile } from '../../support/after-file.js';
import { pitLine } from '../../support/command.js';
import { type FaultServer, type FaultServerOptions, respond, serveFaults } from '../../support/fault-server.js';
import { plainEnvironment, temporaryHome } from '../../support/pit.js';
import { marketList } from '../../support/wire.js';
import { environmentAt } from '../literal-exchange.js';
import { bridge, type ProtocolVersion } from './http-bridge.js';

const SUITE = path.resolve('node_modules/@modelcontextprotocol/conformance/dist/index.js');
const INSPECTOR = path.resolve('node_modules/@modelcontextprotocol/inspector-cli/build');

/** The suite imports a function of Node 22 by its name, and calls it for something else. */
const globSync = `data:text/javascript,${encodeURIComponent("export * from 'node:fs'; export const globSync = undefined;")}`;
const hooks = `data:text/javascript,${encodeURIComponent(
  `export const resolve = (name, context, next) => name === 'fs' && context.parentURL?.includes('/conformance/')
    ? { url: ${JSON.stringify(globSync)}, shortCircuit: true } : next(name, context)`,
)}`;

/** Runs the suite with each of several command lines, all in one process: it takes longer to load than to run. */
const RUNNER = `
  import { register } from 'node:module';
  register(${JSON.stringify(hooks)});
  const { exit } = process;
  const lines = JSON.parse(process.argv[2]);
  for (const [index, words] of lines.entries()) {
    process.argv = [process.execPath, 'conformance', ...words];
    const ended = new Promise((resolve) => {
      process.exit = resolve;
    });
    await import(${JSON.stringify(pathToFileURL(SUITE).href)} + '?' + index);
    // a list is printed at once, without an exit
    if (words[0] !== 'list') await ended;
  }
  exit();
`;

/** The scenarios that a server with tools alone can be held to, whatever its tools are. */
const APPLYING: Readonly<Record<ProtocolVersion, readonly string[]>> = {
  '2025-11-25': ['server-initialize', 'server-session-lifecycle', 'ping', 'tools-list'],
  '2026-07-28': ['server-stateless', 'tools-list', 'caching', 'input-required-result-unsupported-methods'],
};

/** All others, and why they cannot be run. */
const NOT_APPLYING: readonly [RegExp, string][] = [
  [/^tools-call-/, 'calls tools that only a server made for the suite has'],
  [/^json-schema-2020-12$/, 'lists a tool that only a server made for the suite has'],
  [/^input-required-result-/, 'calls tools that only a server made for the suite has; asking.test.ts covers it'],
  [/^elicitation-/, 'calls tools that only a server made for the suite has; asking.test.ts covers it'],
  [/^(resources|prompts)-|^sep-2164-/, 'pit has tools only'],
  [/^(logging-set-level|completion-complete)$/, 'pit has tools only'],
  [/^server-sse-|^http-|^dns-rebinding-protection$/, 'about HTTP, which is that of the bridge'],
  [/^tasks-|^sep-2640-/, 'an extension that pit does not have'],
];

/** Checks of scenarios that apply which do not, and why. */
const CHECKS_NOT_APPLYING: Readonly<Record<string, string>> = {
  'sep-2575-http-server-header-mismatch-400': 'about HTTP, which is that of the bridge',
  'sep-2575-server-rejects-undeclared-capability': 'needs a tool that only a server made for the suite has',
  'sep-2575-missing-capability-http-400': 'needs a tool that only a server made for the suite has',
  'sep-2575-http-server-no-independent-requests-on-stream': 'needs a tool that only a server made for the suite has',
  'sep-2575-server-no-log-without-loglevel': 'needs a tool that only a server made for the suite has',
  'sep-2575-server-sends-subscription-ack': 'the bridge has no streams',
  'sep-2575-server-tags-subscription-id': 'the bridge has no streams',
  'sep-2575-server-honors-notification-filter': 'the bridge has no streams',
  'sep-2549-prompts-list-caching-hints': 'pit has tools only',
  'sep-2549-resources-list-caching-hints': 'pit has tools only',
  'sep-2549-resources-templates-list-caching-hints': 'pit has tools only',
};

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

function suite(lines: readonly (readonly string[])[]): Promise<string> {
  return new Promise((resolve) => {
    const options = { maxBuffer: 2 ** 26 };
    const words = ['--input-type=module', '-', JSON.stringify(lines)];
    const { stdin } = execFile(process.execPath, words, options, (_error, stdout, stderr) => resolve(stdout + stderr));
    stdin?.end(RUNNER);
  });
}

const VERSIONS = ['2025-11-25', '2026-07-28'] as const;

describe("the protocol's own conformance suite", () => {
  const home = temporaryHome();
  const folder = mkdtempSync(path.join(tmpdir(), 'pit-conformance-'));
  afterFile(() => rmSync(folder, { recursive: true, force: true }));
  const folderOf = (scenario: string, version: ProtocolVersion) => path.join(folder, `${scenario}-${version}`);
  let printed: string;

  beforeAll(async () => {
    const lines = [['list']];
    for (const version of VERSIONS) {
      const url = await bridge(home, version);
      for (const scenario of APPLYING[version]) {
        const words = ['--url', url, '--scenario', scenario, '--spec-version', version, '--timeout', '240000'];
        lines.push(['server', ...words, '--output-dir', folderOf(scenario, version)]);
      }
    }
    printed = await suite(lines);
  });

  /** The checks of a scenario, with their outcome. */
  function checksOf(scenario: string, version: ProtocolVersion): readonly Check[] {
    const results = folderOf(scenario, version);
    const [result] = existsSync(results) ? readdirSync(results) : [];
    if (result === undefined) throw new Error(printed);
    return JSON.parse(readFileSync(path.join(results, result, 'checks.json'), 'utf8')) as readonly Check[];
  }

  it.each(VERSIONS.flatMap((version) => APPLYING[version].map((scenario) => ({ version, scenario }))))(
    '$scenario passes with version $version',
    ({ version, scenario }) => {
      const checks = checksOf(scenario, version);
      expect(checks.some(({ status }) => status === 'SUCCESS')).toBe(true);
      const failed = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
      expect(failed.filter(({ id }) => !Object.hasOwn(CHECKS_NOT_APPLYING, id))).toEqual([]);
    },
  );

  it('has no other scenario that applies', () => {
    const listed = printed.split('\n\n')[0] ?? '';
    const scenarios = [...listed.matchAll(/^ {2}- (\S+) \[(.*)\]$/gm)].filter(([, , versions = '']) =>
      /2025-11-25|2026-07-28|extension/.test(versions),
    );
    expect(scenarios.length).toBeGreaterThan(50);
    const applying = new Set(Object.values(APPLYING).flat());
    const unnamed = scenarios
      .map(([, name = '']) => name)
      .filter((name) => !applying.has(name) && !NOT_APPLYING.some(([pattern]) => pattern.test(name)));
    expect(unnamed).toEqual([]);
  });
});

/** The inspector of the newer protocol needs Node 22.19, so this is that of the older; protocol.test.ts speaks the newer. */
describe("the protocol's own inspector", () => {
  const home = temporaryHome();
  const markets = marketList({ btc_usdt: { amountScale: 6, minAmount: 0.0001, minNotional: 1 } });
  const depth = '{"asks":[[101,1]],"bids":[[99,2]],"timestamp":1700000000}';
  let exchange: FaultServer;
  beforeAll(async () => {
    const answer: FaultServerOptions['answer'] = ({ target }) =>
      respond(target.startsWith('/data/v1/markets') ? markets : depth);
    exchange = await serveFaults({ answer, atEnd: afterFile });
  });

  function inspect(...words: readonly string[]): Promise<unknown> {
    // it reads its own name from a file beside the folder that it is started in
    const options = { cwd: INSPECTOR, env: plainEnvironment(home, environmentAt(exchange.url)), maxBuffer: 2 ** 26 };
    const line = [path.join(INSPECTOR, 'index.js'), ...pitLine('mcp'), ...words];
    return new Promise((resolve, reject) => {
      execFile(process.execPath, line, options, (error, stdout, stderr) =>
        error === null ? resolve(JSON.parse(stdout)) : reject(new Error(`${stderr}${stdout}`)),
      );
    });
  }

  const call = (name: string, ...given: readonly string[]) =>
    inspect('--method', 'tools/call', '--tool-name', name, ...given.flatMap((one) => ['--tool-arg', one]));

  it('lists the tools', async () => {
    const { tools } = (await inspect('--method', 'tools/list')) as { readonly tools: readonly unknown[] };
    expect(tools).toHaveLength(13);
  });

  it('calls a tool, and checks its answer against the schema that was listed', async () => {
    expect(await call('order_book', 'market=btc_usdt', 'size=1')).toMatchObject({
      structuredContent: { data: { bids: [{ price: '99', amount: '2' }], asks: [{ price: '101', amount: '1' }] } },
    });
  });

  it('shows the error of a tool, and that of the protocol', async () => {
    expect(await call('order_book', 'market=none')).toMatchObject({
      isError: true,
      structuredContent: { error: { kind: 'usage', exitCode: 2 } },
    });
    await expect(call('withdraw')).rejects.toThrow('There is no tool withdraw.');
  });
});
