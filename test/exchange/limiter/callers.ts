import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { bundleProgram } from '../../support/bundled-program.js';
import type { Job } from './caller.js';

/** Tests and campaigns run in the project's folder; a campaign's own code lies elsewhere. */
const ROOT = process.cwd();

export interface Arrival {
  /** In ms, by the server's own clock. */
  readonly at: number;
  /** The priority and the key of the request. */
  readonly what: string;
}

/** A server that records when each call arrives, and the processes that call it. */
export class Callers {
  readonly arrivals: Arrival[] = [];
  /** Whether calls get no answer until {@link answer}. */
  isHolding = false;
  readonly #held: ServerResponse[] = [];
  readonly #ready: ServerResponse[] = [];
  readonly #server = createServer((request, response) => {
    if (request.url === '/ready') return void this.#ready.push(response);
    this.arrivals.push({ at: performance.now(), what: (request.url ?? '').slice(1) });
    if (this.isHolding) this.#held.push(response);
    else response.end('ok');
  });
  readonly #children = new Set<ChildProcess>();
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'pit-callers-'));

  /** A server whose callers can be started. */
  static async listen(): Promise<Callers> {
    const callers = new Callers();
    await new Promise<void>((resolve) => callers.#server.listen(0, '127.0.0.1', resolve));
    await bundleProgram(path.join(ROOT, 'test/exchange/limiter/caller.ts'), callers.#program);
    return callers;
  }

  /** A folder that stands for one PIT_HOME. */
  home(name = 'home'): string {
    return path.join(this.#folder, name);
  }

  /** Starts a process; resolves with its exit code. */
  start(job: Partial<Job>): { readonly child: ChildProcess; readonly ended: Promise<number | null> } {
    const { port } = this.#server.address() as AddressInfo;
    const usual = {
      accessKey: 'key-1',
      bucket: 'key',
      priority: 'common',
      calls: 40,
      atOnce: 8,
      jitterMs: 0,
      waits: false,
    };
    const whole = { ...usual, root: this.home(), url: `http://127.0.0.1:${port}`, ...job };
    const child = spawn(process.execPath, [this.#program, JSON.stringify(whole)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    this.#children.add(child);
    const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
    return { child, ended };
  }

  /** Starts the waiting processes once this many wait, so that start-up time does not count. */
  async release(processes: number): Promise<void> {
    while (this.#ready.length < processes) await delay(5);
    for (const response of this.#ready.splice(0)) response.end('go');
  }

  /** Answers the calls that were held, and all later ones at once. */
  answer(): void {
    this.isHolding = false;
    for (const response of this.#held.splice(0)) response.end('ok');
  }

  /** The most calls that arrived within any second, of those that fit. */
  most(fits: (arrival: Arrival) => boolean = () => true, span = 1_000): number {
    const times = this.arrivals.filter(fits).map(({ at }) => at);
    let [first, most] = [0, 0];
    for (const [last, at] of times.entries()) {
      while (at - (times[first] ?? at) >= span) first += 1;
      most = Math.max(most, last - first + 1);
    }
    return most;
  }

  close(): void {
    for (const child of this.#children) child.kill('SIGKILL');
    this.#server.close();
    this.#server.closeAllConnections();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #program(): string {
    return path.join(this.#folder, 'caller.mjs');
  }
}
