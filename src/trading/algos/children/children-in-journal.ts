import type { JournalEntry } from '../../journal/entry.js';
import type { Journal } from '../../journal/journal.js';
import { isKind, type Settlement } from '../../journal/write.js';
import type { NewChildLine, RecordedChild } from '../record/child-lines.js';
import { childName } from '../record/child-name.js';
import type { FactRecord } from '../record/fact-record.js';
import { ChildOrder } from './child-order.js';

/** The journal is read so much further back than an algo order began, because clocks differ. In milliseconds. */
const CLOCK_SLACK_MS = 86_400_000;

/** What the journal has of the children of some algo orders. It is read once for all of them. */
export class ChildrenInJournal {
  readonly #journal: Journal;
  readonly #lines = new Map<string, NewChildLine>();
  readonly #settlements = new Map<string, Settlement>();
  readonly unsettled = new Map<string, JournalEntry<'order'>>();

  /**
   * @param since when the first of the algo orders began, in milliseconds since the Unix epoch
   * @throws Failure `usage` if the journal cannot be read
   */
  constructor(journal: Journal, since: number) {
    this.#journal = journal;
    // the unsettled first: what is settled meanwhile is in both
    for (const unsettled of journal.unsettledEntries()) {
      if (!unsettled.isKind('order') || childName(unsettled.write.id) === undefined) continue;
      this.unsettled.set(unsettled.write.id, unsettled);
      const { reqTime, terms } = unsettled.write;
      this.#lines.set(unsettled.write.id, { ...terms, child: unsettled.write.id, time: reqTime });
    }
    for (const { write, ...settlement } of journal.archive.newestFirst({}, since - CLOCK_SLACK_MS)) {
      if (!isKind(write, 'order') || childName(write.id) === undefined) continue;
      this.unsettled.delete(write.id);
      this.#settlements.set(write.id, settlement);
      this.#lines.set(write.id, { ...write.terms, child: write.id, time: write.reqTime });
    }
  }

  /** The children of an algo order, oldest first: those that its record names, and those that the journal has. */
  of({ id, children }: Pick<FactRecord, 'id' | 'children'>): ChildOrder[] {
    const recorded = new Map(children.map((child) => [child.clientId, child]));
    const lines = new Map(children.flatMap(({ clientId, sent }) => (sent === undefined ? [] : [[clientId, sent]])));
    for (const [child, line] of this.#lines) if (childName(child)?.parent === id) lines.set(child, line);
    const found = [...lines.values()].map((line) => this.#childOf(line, recorded.get(line.child)));
    return found.sort((one, other) => one.number - other.number);
  }

  /**
   * The children, for a process that continues an algo order. The process before it may have died between an answer and the list that
   * shows duplicates, so a child whose record is not closed needs a list. One that died while it put a record away has left it among the
   * unsettled, where it keeps identical orders from being sent: it is settled again.
   */
  toContinue(record: FactRecord): ChildOrder[] {
    const children = this.of(record);
    const unclosed = new Set(this.#journal.unclosedEntries().map(({ write }) => write.id));
    for (const child of children) {
      if (this.#journal.findUnsettled(child.clientId)?.isUnderWay === false) child.sending = 'unknown';
      child.needsList = child.sending === 'placed' && unclosed.has(child.clientId);
    }
    return children;
  }

  #childOf(line: NewChildLine, recorded: RecordedChild | undefined): ChildOrder {
    const child = new ChildOrder(line);
    const settlement = this.#settlements.get(line.child);
    if (settlement !== undefined) child.settled(settlement);
    else child.sending = 'unknown';
    if (recorded === undefined) return child;
    const { closed, duplicates } = recorded;
    child.isCancelledHere = recorded.isCancelledHere;
    if (closed !== undefined) child.showClosed(closed.end, closed.order);
    for (const [order, { order: shown, isProven }] of duplicates) child.addDuplicate(order, shown, isProven);
    child.toldFill = recorded.toldFill ?? child.toldFill;
    return child;
  }
}
