/** "Clients must send a `User-Agent` header that looks like a desktop browser's." All of these begin so. */
export function isBrowser(userAgent: string | undefined): boolean {
  return userAgent?.startsWith('Mozilla/') === true;
}

/** What the interface's port has been asked, for `status` and for the decision to stop when idle. */
export class Activity {
  requests = 0;
  refused = 0;
  /** Requests whose User-Agent is not a browser's: the interface demands one, the sandbox serves any. */
  nonBrowserAgents = 0;
  /** Requests that are being worked on. */
  underWay = 0;
  /** By a clock of its own: the exchange's may be set, or stand still. */
  private lastRequest = performance.now();

  begin(userAgent: string | undefined): void {
    this.requests += 1;
    this.underWay += 1;
    if (!isBrowser(userAgent)) this.nonBrowserAgents += 1;
    this.lastRequest = performance.now();
  }

  end(refused: boolean): void {
    this.underWay -= 1;
    if (refused) this.refused += 1;
    this.lastRequest = performance.now();
  }

  /** Someone is about to ask: puts the idle stop off. */
  touch(): void {
    this.lastRequest = performance.now();
  }

  /** Whether nothing was asked for so long, and nothing is under way. */
  isIdleFor(milliseconds: number): boolean {
    return this.underWay === 0 && performance.now() - this.lastRequest >= milliseconds;
  }
}
