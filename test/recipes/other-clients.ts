import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import type { SandboxAddress } from '../../src/sandbox/lifecycle/files.js';

const PAGE = readFileSync('docs/sandbox.md', 'utf8');

/** What docs/sandbox.md says about clients that others wrote. */
export const OTHER_CLIENTS = /## Other clients\n([\s\S]*?)\n## /.exec(PAGE)?.[1] ?? '';

const [SAMPLE = ''] = /(?<=```js\n)[\s\S]*?(?=```)/.exec(OTHER_CLIENTS) ?? [];

/** The User-Agent that the page names for `--strict-agent`. */
export const [, USER_AGENT = ''] = /`userAgent: '([^']+)'`/.exec(OTHER_CLIENTS) ?? [];

/** The option under which the page gives ccxws the address of the streams. */
export const [, STREAM_OPTION = ''] = /`new Client\(\{ (\w+): wsUrl \}\)`/.exec(OTHER_CLIENTS) ?? [];

/**
 * Runs the sample of the page against a sandbox and returns its client.
 * @param Client the class in place of the one that the page describes
 * @param added options besides those of the page
 */
export async function clientOfPage<Client>(
  Client: new (options: object) => Client,
  { baseUrl, tradeUrl, wsUrl, accessKey, secretKey }: SandboxAddress,
  added: object = {},
): Promise<Client> {
  const imports = /^import \{ Agent \} from 'node:http'\n/;
  if (!imports.test(SAMPLE)) throw new Error('the sample of docs/sandbox.md imports something else');
  const AsyncFunction = (async () => undefined).constructor as new (
    ...texts: string[]
  ) => (...given: unknown[]) => Promise<Client>;
  const names = ['Agent', 'Client', 'baseUrl', 'tradeUrl', 'wsUrl', 'accessKey', 'secretKey'];
  const run = new AsyncFunction(...names, `${SAMPLE.replace(imports, '')}\nreturn client`);
  const construct = new Proxy(Client, { construct: (made, [options]) => new made({ ...options, ...added }) as object });
  return run(Agent, construct, baseUrl, tradeUrl, wsUrl, accessKey, secretKey);
}
