import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import type { Extra } from './pit-home.js';

export interface LiteralExchange {
  /** The requested paths without parameters. */
  readonly asked: readonly string[];
  readonly url: string;
  /** The options that make pit use it. */
  readonly extra: Extra;
}

/** Serves literal answers, or what a function makes of the parameters, by path for a test file; `*` matches every other path. It checks no signatures. */
export function useLiteralExchange(
  answers: Readonly<Record<string, string | ((parameters: URLSearchParams) => string)>>,
): LiteralExchange {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const [path = '', parameters = ''] = (request.url ?? '').split('?');
    asked.push(path);
    const answer = answers[path] ?? answers['*'] ?? '{"code":1001,"message":"no such operation"}';
    response.end(typeof answer === 'string' ? answer : answer(new URLSearchParams(parameters)));
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

/** An environment with both hosts at one URL and made-up keys. */
export function environmentAt(url: string): Readonly<Record<string, string>> {
  return {
    PIT_BASE_URL: url,
    PIT_TRADE_URL: url,
    PIT_ACCESS_KEY: 'literal-access-key',
    PIT_SECRET_KEY: 'literal-secret-key',
  };
}
