import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PIT } from '../../../support/command.js';
import { between, chosen, type Draw } from '../draw.js';
import { dyingAt, KILL_POINTS } from './kill-points.js';

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** After a process took over, the previous one may take this long to end, in milliseconds. */
const TAKEN_OVER_MS = 1_000;
/** A line may be read this long after it was printed, in milliseconds. */
const READ_MS = 200;

/** `pit algo run` of one account, which is killed, stopped and started again and again, by one or by two processes at once. */
export class Watchers {
  readonly #home: string;
  readonly #now: () => number;
  readonly #running = new Set<ChildProcess>();
  /** When no process watched, or the one that did was stopped, by the exchange's clock. */
  readonly unwatched: Span[] = [];
  /** How often a process died at each point; `at a time of chance` and signals as well. */
  readonly deaths = new Map<string, number>();
  /** What the processes have printed: events, one a line. */
  readonly lines: string[] = [];
  /** What they have said on stderr. */
  errors = '';
  /** When two processes worked at once, in words. */
  readonly overlaps: string[] = [];
  /** What all processes have printed, each line with its time, its process and those that watched then: an overlap quotes the last of it. */
  readonly #recentLines: string[] = [];
  #unwatchedSince: number;
  #isObserving = true;
  readonly #observing: Promise<void>;
  readonly #stopped = new Set<number>();
  /** The last line that each process has printed, and when, by this machine's clock. */
  readonly #worked = new WeakMap<ChildProcess, { readonly line: string; readonly at: number }>();

  /** @param now the exchange's clock */
  constructor(home: string, now: () => number) {
    this.#home = home;
    this.#now = now;
    this.#unwatchedSince = now();
    this.#observing = this.#observe();
  }

  /** Starts processes, each of which dies in its own way: so many at least, until a time of the machine at most. */
  async disturb(least: number, until: number, draw: Draw): Promise<void> {
    for (let count = 0; count < least && Date.now() < until; count += 1) {
      // the second one takes over when the first dies
      const point = chosen(draw, KILL_POINTS);
      const isAtPoint = draw() < 0.75;
      const child = this.#start(isAtPoint ? dyingAt(point, Math.ceil(between(draw, 0, 3))) : {});
      const second = draw() < 0.15 ? this.#start({}) : undefined;
      const [ended, secondEnded] = [once(child, 'close'), second && once(second, 'close')];
      await this.#untilWatched(child, until);
      // some live long enough to show what a lost request keeps them from
      const longestMs = draw() < 0.35 ? 25_000 : 9_000;
      await Promise.race([ended, delay(between(draw, 2_000, longestMs))]);
      const isDead = child.exitCode !== null || child.signalCode !== null;
      if (isDead && isAtPoint) this.#count(point);
      if (!isDead) await this.#end(child, draw);
      await ended;
      if (second === undefined) continue;
      await this.#untilWatched(second, until);
      await delay(between(draw, 1_000, 5_000));
      second.kill('SIGKILL');
      this.#count('as the second process');
      await secondEnded;
    }
  }

  async #end(child: ChildProcess, draw: Draw): Promise<void> {
    const how = draw();
    if (how < 0.2 && child.pid !== undefined) {
      child.kill('SIGSTOP');
      this.#stopped.add(child.pid);
      await delay(6_500);
      child.kill('SIGCONT');
      this.#stopped.delete(child.pid);
      this.#count('stopped for 6 s');
      await delay(between(draw, 1_000, 4_000));
    }
    child.kill(how < 0.4 ? 'SIGTERM' : 'SIGKILL');
    this.#count(how < 0.4 ? 'ended by a signal' : 'at a time of chance');
  }

  /** Runs one process that is not disturbed, as long as the work takes. */
  async calmly(work: () => Promise<void>): Promise<void> {
    let isOver = false;
    const keeping = (async () => {
      while (!isOver) {
        const child = this.#start({});
        const ended = once(child, 'close');
        while (!isOver && child.exitCode === null && child.signalCode === null) await delay(100);
        child.kill('SIGKILL');
        await ended;
      }
    })();
    try {
      await work();
    } finally {
      isOver = true;
      await keeping;
    }
  }

  async close(): Promise<void> {
    this.#isObserving = false;
    await this.#observing;
    for (const child of this.#running) child.kill('SIGKILL');
  }

  /** Whether a process watches, and is not stopped. */
  get isWatched(): boolean {
    return this.#watching.some((pid) => !this.#stopped.has(pid));
  }

  /** The processes of this campaign that say that they watch and live. */
  get #watching(): number[] {
    const own = new Set([...this.#running].map(({ pid }) => pid));
    return this.#links.filter((pid) => own.has(pid));
  }

  get #links(): number[] {
    try {
      const folder = path.join(this.#home, 'state', 'algos', 'sandbox');
      const names = readdirSync(folder).filter((name) => name.startsWith('.watcher.'));
      return names.map((name) => JSON.parse(readlinkSync(path.join(folder, name))).pid);
    } catch {
      return [];
    }
  }

  async #observe(): Promise<void> {
    let wasWatched = false;
    while (this.#isObserving) {
      const { isWatched } = this;
      if (isWatched && !wasWatched) this.unwatched.push({ from: this.#unwatchedSince, to: this.#now() });
      if (!isWatched && wasWatched) this.#unwatchedSince = this.#now();
      wasWatched = isWatched;
      await delay(50);
    }
    if (!wasWatched) this.unwatched.push({ from: this.#unwatchedSince, to: this.#now() });
  }

  async #untilWatched(child: ChildProcess, until: number): Promise<void> {
    while (Date.now() < until && child.exitCode === null && child.signalCode === null) {
      if (this.#links.some((pid) => pid === child.pid)) return;
      await delay(50);
    }
  }

  /** A process has done something: one that has done so before must not watch any more, nor do anything from here on. */
  #noteWork(child: ChildProcess, line: string): void {
    const now = Date.now();
    this.#worked.set(child, { line, at: now });
    this.#recentLines.push(`${now % 1_000_000} ${child.pid} of ${this.#links}: ${line.slice(0, 200)}`);
    const others = [...this.#running].filter((other) => other !== child && this.#worked.has(other));
    void delay(TAKEN_OVER_MS).then(() => {
      const watching = new Set(this.#links);
      for (const other of others) {
        const { pid = 0 } = other;
        const last = this.#worked.get(other) ?? { line, at: now };
        const isWatching = watching.has(pid);
        if (!isRunning(pid) || !isRunning(child.pid) || !(isWatching || last.at > now + READ_MS)) continue;
        const what = isWatching ? 'still watches' : 'printed again after it gave up watching';
        this.overlaps.push(
          `${child.pid} printed at ${now % 1_000_000}; ${pid} ${what}\n${this.#recentLines.slice(-12).join('\n')}`,
        );
      }
    });
  }

  #count(how: string): void {
    this.deaths.set(how, (this.deaths.get(how) ?? 0) + 1);
  }

  #start(environment: Readonly<Record<string, string>>): ChildProcess {
    const { PATH = '' } = process.env;
    const child = spawn(PIT.command, [...PIT.arguments, 'algo', 'run', '--json'], {
      env: { PATH, TZ: 'UTC', PIT_HOME: this.#home, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#running.add(child);
    child.once('close', () => this.#running.delete(child));
    let rest = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      this.lines.push(...lines);
      const last = lines.at(-1);
      if (last !== undefined) this.#noteWork(child, last);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.errors += text;
    });
    return child;
  }
}

/** Whether a process runs: one that was killed and whose end was not noticed yet does not. */
function isRunning(pid: number | undefined): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
