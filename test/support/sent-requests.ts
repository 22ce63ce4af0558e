import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';

type Observer = (path: string) => void;

const observer = new AsyncLocalStorage<Observer>();

subscribe('http.client.request.start', (message) => {
  const { path } = (message as { readonly request: ClientRequest }).request;
  if (/^\/(api|data)\//.test(path)) observer.getStore()?.(path.replace(/\?.*/s, ''));
});

let worksUnderWay = 0;

/** Does some work and calls `observe` with the path of each request as it is sent, such as `/api/order`. */
export async function observingRequests<Result>(observe: Observer, work: () => Promise<Result>): Promise<Result> {
  worksUnderWay += 1;
  try {
    return await observer.run(observe, work);
  } finally {
    worksUnderWay -= 1;
    // until then, Node would follow every promise of this process, also in the files that come next
    if (worksUnderWay === 0) observer.disable();
  }
}

/**
 * Does some work and returns with its result the paths of the requests that it sent to an exchange, such as `/api/order`. What
 * else sends from this process meanwhile, like the end of an earlier test, is not counted, as it would be by the sandbox.
 */
export async function requestsOf<Result>(work: () => Promise<Result>): Promise<[Result, readonly string[]]> {
  const paths: string[] = [];
  return [await observingRequests((path) => paths.push(path), work), paths];
}
