import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { type LiteralAnswer, openHost } from '../support/world/hosts.js';
import type { Extra } from './pit-home.js';

export interface LiteralExchange {
  /** The requested paths without parameters. */
  readonly asked: readonly string[];
  readonly url: string;
  /** The options that make pit use it. */
  readonly extra: Extra;
}

/**
 * Has a host of this process give literal answers, or what a function makes of the parameters, by path for a test file; `*` matches
 * every other path. It checks no signatures, and has no port: a command in this process reaches it, in a world and without one.
 */
export function useLiteralExchange(
  answers: Readonly<Record<string, string | ((parameters: URLSearchParams) => string)>>,
): LiteralExchange {
  const asked: string[] = [];
  let host: ReturnType<typeof openHost> | undefined;
  beforeAll(() => {
    host = openHost((path, parameters) => {
      asked.push(path);
      const answer = answers[path] ?? answers['*'] ?? '{"code":1001,"message":"no such operation"}';
      return typeof answer === 'string' ? answer : answer(parameters);
    });
  });
  afterAll(() => host?.close());
  return {
    asked,
    get url() {
      if (host === undefined) throw new Error('the exchange is there from the first test on');
      return host.url;
    },
    get extra() {
      return { environment: environmentAt(this.url) };
    },
  };
}

/** The same for the rest of a test, with answers by the path and the parameters. */
export function literalExchange(answer: LiteralAnswer): LiteralExchange {
  const asked: string[] = [];
  const { url, close } = openHost((path, parameters, signal) => {
    asked.push(path);
    return answer(path, parameters, signal);
  });
  onTestFinished(close);
  return { asked, url, extra: { environment: environmentAt(url) } };
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
