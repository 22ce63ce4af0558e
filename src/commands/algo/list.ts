import { toggle } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { Failure } from '../../errors.js';
import type { AlgoView } from '../../trading/algos/service/algo-views.js';
import { watchFlag } from '../live/watch-flag.js';
import { define } from '../session/command.js';
import { algoService } from './algo-service.js';
import { warnOfOpenDuplicates } from './open-duplicates.js';
import { ALGO } from './view/algo-fields.js';
import { algoList } from './view/algo-row.js';

export default define({
  summary: 'List algo orders, newest first (default: those at work)',
  flags: { all: toggle('--all', 'also those that have ended'), watch: watchFlag() },
  examples: ['algo list', 'algo list --all --json', 'algo list --watch'],
  output: shape.array(shape.object(ALGO)),
  async run(context, { all, watch }) {
    const empty = all ? 'No algo orders.' : 'No algo orders at work.';
    const answer = (views: readonly AlgoView[]) => algoList(views, context.host.now(), empty);
    if (!watch) {
      const service = await algoService(context);
      const views = await service.list({ all });
      warnOfOpenDuplicates(context, views);
      const unshown = service.unshown();
      const shown = answer(views);
      if (unshown.length === 0) return shown;
      const message = `Not all algo orders are shown: ${unshown.join('; ')}.${shown.failure === undefined ? '' : ` ${shown.failure.message}`}`;
      return { ...shown, failure: new Failure('partial', message, { hint: shown.failure?.hints ?? [] }) };
    }
    const { watchAlgos } = await import('./watch-algos.js');
    return watchAlgos(context, { isOf: ({ facts }) => all || facts.ended === null, answer, isOver: () => false });
  },
});
