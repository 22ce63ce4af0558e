import { required } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import type { AlgoView } from '../../trading/algos/service/algo-views.js';
import { algoId } from '../inputs/parsers.js';
import { watchFlag } from '../live/watch-flag.js';
import { define } from '../session/command.js';
import { algoService } from './algo-service.js';
import { warnOfOpenDuplicates } from './open-duplicates.js';
import { ALGO } from './view/algo-fields.js';
import { algoAnswer } from './view/algo-row.js';

export default define({
  summary: 'Show an algo order, its orders and its result',
  arguments: { id: required('of the algo order', algoId) },
  flags: { watch: watchFlag() },
  examples: ['algo show a4k7x2q', 'algo show a4k7x2q --watch'],
  output: shape.object(ALGO),
  async run(context, { id, watch }) {
    const answer = (view: AlgoView) => algoAnswer(view, context.host.now());
    const first = await (await algoService(context)).show(id);
    warnOfOpenDuplicates(context, [first]);
    if (!watch) return answer(first);
    const { watchAlgos } = await import('./watch-algos.js');
    return watchAlgos(context, {
      isOf: (view) => view.id === id,
      answer: ([view = first]) => answer(view),
      isOver: ({ facts }) => facts.ended !== null,
    });
  },
});
