import path from 'node:path';
import { required } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { oneOf } from '../inputs/parsers.js';
import { define } from '../session/command.js';
import { serviceText } from './service.js';

export default define({
  summary: 'Print a unit that keeps the algo orders watched',
  arguments: { manager: required('systemd or launchd', oneOf('The manager', 'systemd', 'launchd')) },
  examples: ['algo service systemd', 'algo service launchd'],
  output: shape.object({
    manager: shape.enumOf(['systemd', 'launchd'], ''),
    unit: shape.text('the text of the unit'),
  }),
  async run({ host, session }, { manager }) {
    const { profile } = await session.connection();
    // the manager runs it in another folder
    const { PIT_HOME } = host.environment;
    const home = PIT_HOME ? path.resolve(PIT_HOME) : null;
    const unit = serviceText(manager, { program: host.self, profile, home });
    return { data: { manager, unit }, csv: [{ manager, unit }], show: () => unit.trimEnd() };
  },
});
