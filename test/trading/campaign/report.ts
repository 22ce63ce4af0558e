import type { Passing } from '../../support/proxy.js';
import type { Action, Breach, Evidence, Judgement } from './action.js';
import type { Change } from './changed-meanwhile.js';

/** An action with broken promises. */
interface Broken {
  readonly action: Action;
  readonly breaches: readonly Breach[];
  readonly evidence: Evidence;
}

const UNREPORTED: Breach = 'ended without a reported outcome';

/** The outcomes of the actions, and the broken promises. */
export class Report {
  readonly broken: Broken[] = [];
  readonly complaints: string[] = [];
  readonly counts = new Map<string, number>();
  actions = 0;
  writes = 0;
  unknown = 0;
  duplicates = 0;
  prompt = 0;
  flagged = 0;
  late = 0;
  /** How many actions had their orders cancelled, and how many replaced, while their outcome was unknown or not reported. */
  readonly changed = { cancelled: 0, replaced: 0 };
  /** The actions whose withdrawal pit left to the user. */
  readonly settledByUser: Action[] = [];

  /** @param change what was done with its orders before it was settled */
  add(action: Action, judgement: Judgement, evidence: Evidence, change?: Change): void {
    const { reported, duplicates, prompt, flagged, isLate, isSettledByUser = false } = judgement;
    const found = [...judgement.breaches, ...(reported === 'failed' && !isStrange(evidence) ? [UNREPORTED] : [])];
    const breaches = found.filter((breach) => breach !== 'not settled' || !evidence.writes.some(isFromTheFuture));
    this.actions += 1;
    this.writes += evidence.writes.length;
    this.duplicates += duplicates;
    this.prompt += prompt;
    // a command names both if it cannot tell which one was wanted
    this.flagged += Math.min(flagged, duplicates);
    if (reported === 'unknown') this.unknown += 1;
    const isOpen = reported === 'unknown' || reported === 'killed';
    if (isOpen && change !== undefined) this.changed[change] += 1;
    if (isLate) this.late += 1;
    if (isSettledByUser) this.settledByUser.push(action);
    const name = `${action.kind} ${reported}`;
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    if (breaches.length > 0) this.broken.push({ action, breaches, evidence });
  }

  complain(words: string): void {
    this.complaints.push(words);
  }

  get isClean(): boolean {
    return this.broken.length === 0 && this.complaints.length === 0;
  }

  get line(): string {
    const counts = [...this.counts].sort().map(([name, count]) => `${count} ${name}`);
    const share = ((100 * this.unknown) / Math.max(1, this.actions)).toFixed(1);
    const settled = this.broken.some(({ breaches }) => breaches.includes('not settled')) ? 'not all' : 'all';
    return [
      `${this.actions} actions, ${this.writes} writes: ${counts.join(', ')}`,
      `${share} % unknown, ${settled} of them settled later, ${this.settledByUser.length} by the user`,
      `${this.changed.cancelled} cancelled and ${this.changed.replaced} replaced before they were settled`,
      `${this.duplicates} duplicates made by the network, ${this.flagged} of them flagged by the order's own command (${this.prompt} had to be), the others output by a later one`,
      `${this.late} executed after a refusal`,
      `${this.broken.length} broken`,
    ].join('; ');
  }

  /** Each action with a broken promise, its treatment and its output. */
  get details(): string {
    return [...this.complaints, ...this.broken.map(detail)].join('\n\n');
  }
}

/** Whether a write is dated later than now, by a wrong clock: the exchange may still execute it when that moment comes. */
export function isFromTheFuture({ parameters: { reqTime } }: Passing): boolean {
  return Number(reqTime) > Date.now();
}

/** Whether nothing was sent because an earlier read, or that of a guard, got an undocumented answer, which is exit 1. */
function isStrange({ run, writes }: Evidence): boolean {
  const names = /"message":"([a-z-]+ blocks this: it cannot be checked: )?the response to /;
  return run.code === 1 && writes.length === 0 && names.test(run.stderr);
}

function detail({ action, breaches, evidence }: Broken): string {
  const { run, finished, writes, orders, resolved } = evidence;
  const seen = writes.map(({ time, treatment, executions, replied, parameters }) => {
    const done = executions.map(
      ({ begun, ended, answer }) => `  done ${iso(begun)} to ${iso(ended)}: ${answer?.slice(0, 120)}`,
    );
    return [
      `sent ${iso(time)} ${parameters.customerOrderId ?? ''}: ${treatment}`,
      ...done,
      `  replied ${iso(replied)}`,
    ].join('\n');
  });
  const ids = writes.map(({ parameters: { customerOrderId } }) => customerOrderId);
  const rows = resolved.filter(({ clientId }) => ids.includes(clientId)).map((row) => JSON.stringify(row));
  return [
    `action ${action.number}: pit ${run.words.join(' ')}: ${breaches.join(', ')}`,
    `${iso(run.started)} to ${iso(run.ended)}: exit ${run.code} ${run.signal ?? ''} ${run.stdout.trim()}`,
    run.stderr.trim(),
    ...seen,
    ...readsDuring(evidence),
    ...(finished === undefined
      ? []
      : [`finished with exit ${finished.code}: ${finished.stdout} ${finished.stderr}`.trim()]),
    ...rows,
    `the exchange has: ${JSON.stringify(orders.filter((order) => action.words.some((word) => word === order.id || (action.kind === 'order' && word === plainly(order.price)))))}`,
  ].join('\n');
}

/** What the exchange listed while the command ran, to it and to the commands beside it. */
function readsDuring({ run, writes, listings, orderReads }: Evidence): string[] {
  const ids = writes.map(({ parameters: { customerOrderId } }) => customerOrderId);
  const lookups = orderReads.filter(({ parameters: { customerOrderId } }) => ids.includes(customerOrderId));
  return [...listings, ...lookups]
    .filter(({ time }) => time >= run.started && time <= run.ended)
    .sort((one, other) => one.time - other.time)
    .map(({ operation, time, treatment, executions, replied, parameters: { pageIndex } }) => {
      const answers = executions.map(
        ({ answer = '' }) => answer.match(/"id":"?\d+/g)?.join(' ') ?? answer.slice(0, 80),
      );
      const page = pageIndex === undefined ? '' : ` page ${pageIndex}`;
      return `${operation}${page} ${iso(time)} to ${iso(replied)}, ${treatment}: ${answers.join('; ')}`;
    });
}

function plainly(number: string): string {
  return number.includes('.') ? number.replace(/\.?0+$/, '') : number;
}

function iso(time: number | undefined): string {
  return time === undefined ? 'never' : new Date(time).toISOString().slice(11);
}
