import type { Journal } from '../../../src/trading/journal/journal.js';

/** Does something between the first read of one half of the journal and that of the other, as another process may. */
export function meanwhile(journal: Journal, work: () => void): void {
  const { archive } = journal;
  const [open, since] = [journal.open.bind(journal), archive.since.bind(archive)];
  let isDone = false;
  const once = <Found>(found: Found): Found => {
    if (!isDone) {
      isDone = true;
      work();
    }
    return found;
  };
  Object.assign(journal, { open: () => once(open()) });
  Object.assign(archive, { since: (time: number) => once(since(time)) });
}
