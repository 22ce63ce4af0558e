import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import type { Extra } from './desk.js';

export interface LiteralExchange {
  /** The paths that were asked for, without their parameters. */
  readonly asked: readonly string[];
  readonly url: string;
  /** What makes pit use it. */
  readonly extra: Extra;
}

/** An exchange of literal answers by path, for a test file; `*` is for every other path. It checks no signature. */
export function useLiteralExchange(answers: Readonly<Record<string, string>>): LiteralExchange {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    asked.push(path);
    response.end(answers[path] ?? answers['*'] ?? '{"code":1001,"message":"no such operation"}');
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => server.close());
  return {
    asked,
    get url() {
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    get extra() {
      return { environment: environmentAt(this.url) };
    },
  };
}

/** Both hosts at one URL, with keys that are nobody's. */
export function environmentAt(url: string): Readonly<Record<string, string>> {
  return {
    PIT_BASE_URL: url,
    PIT_TRADE_URL: url,
    PIT_ACCESS_KEY: 'literal-access-key',
    PIT_SECRET_KEY: 'literal-secret-key',
  };
}
