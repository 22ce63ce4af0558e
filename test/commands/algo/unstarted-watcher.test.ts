import { expect, it } from 'vitest';
import { usage } from '../../../src/errors.js';
import { PASS } from '../../support/world/network.js';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { document, lastError, useWorldPerTest } from '../pit-home.js';

const pit = useWorldPerTest({ markets: STILL_MARKETS });

it('an algo order whose watcher cannot be started is answered with 9: it exists, and is not watched', async () => {
  const watchAlgos = () => {
    throw usage('Cannot start a process.', 'Make room.');
  };
  const { code, stdout, stderr } = await pit.world.run('order sell btc_usdt 0.01 --stop bid-10% --yes --json', {
    watchAlgos,
  });
  const { id, watched } = document<{ id: string; watched: boolean }>(stdout);
  expect([code, watched, lastError(stderr)]).toMatchObject([9, false, { kind: 'partial', exitCode: 9 }]);
  expect(lastError(stderr).message).toBe(
    `NOT WATCHED: algo order ${id} exists, and no process of pit acts for it. Cannot start a process.`,
  );
  expect(lastError(stderr).hint).toBe(`Make room. Or give it up: pit algo cancel ${id}`);
  expect(await pit.json('algo list')).toMatchObject([{ id, watched: false }]);
});

it('a signal before it is known whether an algo order was created says so, and how to find out', async () => {
  const process = pit.world.start('order sell btc_usdt 0.01 --stop bid-10% --yes --json', {
    watchAlgos: () => process.interrupt('SIGINT'),
  });
  await pit.world.until(() => process.isOver);
  const { stderr } = await process.ended;
  expect(lastError(stderr)).toMatchObject({
    kind: 'interrupted',
    message: 'The algo order may have been created.',
    hint: 'Find out: pit algo list',
  });
});

it('a signal while a created algo order is being read says that it was created, and how to see it', async () => {
  const { network } = pit.world;
  network.treat = ({ operation }) => {
    if (operation === 'getOrder' && process.pid === command.pid) command.interrupt('SIGINT');
    return PASS;
  };
  const command = pit.world.start('order buy btc_usdt 0.01 --at bid-5% --take ask+5% --yes --json');
  await pit.world.until(() => command.isOver);
  const { stderr } = await command.ended;
  expect(lastError(stderr)).toMatchObject({
    ...{ kind: 'interrupted', message: 'The algo order was created.', hint: 'See it: pit algo list' },
  });
});
