import type { Journal } from '../../../src/trading/journal/journal.js';

/** Runs `work` after the first read of open or settled writes, as a concurrent process might. */
export function meanwhile(journal: Journal, work: () => void): void {
  const { archive } = journal;
  const unsettledEntries = journal.unsettledEntries.bind(journal);
  const [newestFirst, markets] = [archive.newestFirst.bind(archive), archive.markets.bind(archive)];
  let isDone = false;
  const once = <Found>(found: Found): Found => {
    if (!isDone) {
      isDone = true;
      work();
    }
    return found;
  };
  Object.assign(journal, { unsettledEntries: () => once(unsettledEntries()) });
  const settled = function* (...asked: Parameters<typeof newestFirst>) {
    yield* once([...newestFirst(...asked)]);
  };
  Object.assign(archive, { newestFirst: settled, markets: () => once(markets()) });
}
