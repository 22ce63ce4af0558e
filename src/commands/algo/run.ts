import * as shape from '../../cli/shapes.js';
import { zonedTime } from '../../terminal/time.js';
import { continueText, type Watcher } from '../../trading/algos/record/watchers.js';
import { define } from '../session/command.js';
import { type AlgoEventView, runAlgos } from './run-algos.js';
import { EVENT, eventRow } from './view/algo-event.js';
import { ALGO, algoDocument } from './view/algo-fields.js';

export default define({
  summary: 'Watch and trade all algo orders of the account',
  // it does nothing but what they have decided: a dry run of a new one shows what that would be
  excludes: ['--dry-run'],
  timeout: 'stop watching after this time (default: at Ctrl-C, or when nothing is left to do)',
  examples: ['algo run', 'algo run --json', 'algo run --profile main'],
  output: shape.object({ ...EVENT, algo: shape.object(ALGO) }),
  isQuietAtStart: () => true,
  async run(context) {
    const { host, output } = context;
    let count = 0;
    let printing = Promise.resolve();
    const onEvent = (event: AlgoEventView) => {
      const { id, market, time, event: name, text, view } = event;
      const data = { ...eventRow(event), algo: algoDocument(view, host.now()) };
      const isLater = count > 0;
      count += 1;
      printing = printing.then(() =>
        output.answer({ data, isLater, show: () => `${zonedTime(time)}  ${id} ${market}  ${name}: ${text}` }),
      );
    };
    const onOther = ({ pid, isStopped, onlyEnds }: Watcher) => {
      const takesOver = 'This one takes over when that ends.';
      if (isStopped)
        output.warn([
          `NOT WATCHED: process ${pid}, which watches the algo orders of this account, is stopped. ${takesOver}`,
          continueText(pid),
        ]);
      else if (onlyEnds === true) output.note(`Process ${pid} cancels algo orders of this account. ${takesOver}`);
      else output.note(`Process ${pid} watches the algo orders of this account. ${takesOver}`);
    };
    await runAlgos(context, { onEvent, onOther });
    await printing;
    return undefined;
  },
});
