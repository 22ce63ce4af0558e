import type { StreamEvent } from '../../exchange/exchange.js';
import type { Host } from '../../platform/host.js';

/** When to stop following; undefined: not for this reason. */
export interface StopConditions {
  /** After so many events with data. */
  readonly count: number | undefined;
  readonly forMs: number | undefined;
  /** After so long without an event with data. */
  readonly silentMs: number | undefined;
}

/**
 * The events until the first end that is reached.
 * @param end ends the events when it is aborted
 */
export async function* untilEnd(
  events: AsyncIterable<StreamEvent>,
  { count, forMs, silentMs }: StopConditions,
  host: Pick<Host, 'sleep' | 'monotonic'> & { readonly sleepOfMarket: Host['sleep'] },
  end: AbortController,
): AsyncGenerator<StreamEvent> {
  let taken = 0;
  // undefined before there is a connection and while the reader is busy: neither is the exchange's silence
  let waitingSince: number | undefined;
  const { signal } = end;
  if (forMs !== undefined) void host.sleepOfMarket(forMs, signal).then(() => end.abort());
  if (silentMs !== undefined) void endAfterSilence(silentMs);
  async function endAfterSilence(longest: number): Promise<void> {
    const leftMs = () => (waitingSince ?? host.monotonic()) + longest - host.monotonic();
    for (let left = leftMs(); left > 0 && !signal.aborted; left = leftMs()) await host.sleep(left, signal);
    end.abort();
  }
  for await (const event of events) {
    const since: number | undefined = waitingSince;
    waitingSince = undefined;
    yield event;
    const isFirst = since === undefined && event.type === 'state' && event.state === 'connected';
    waitingSince = event.type === 'data' || isFirst ? host.monotonic() : since;
    if (event.type !== 'data') continue;
    taken += 1;
    if (taken === count) return;
  }
}
