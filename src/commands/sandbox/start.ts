import { define } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { ADDRESS, ADMINISTRATION } from './shapes.js';

export default define({
  summary: 'Start the sandbox exchange in the background',
  examples: ['sandbox start', 'sandbox start --json'],
  output: shape.record({ ...ADDRESS, ...ADMINISTRATION }),
  async run({ session }) {
    const { started, ...address } = await session.startSandbox();
    const words = started ? 'Started the sandbox' : 'The sandbox runs already';
    return { data: address, show: () => `${words} at ${address.tradeUrl} (process ${address.pid}).` };
  },
});
