import { expect, it } from 'vitest';
import { displayWidth } from '../../../src/terminal/text.js';
import { runPit } from '../../support/pit.js';
import { usePitHome } from '../pit-home.js';

const pit = usePitHome();

it.each([40, 80, 200])('pit sandbox status of a sandbox on a port fits %i columns', async (columns) => {
  const { stdout } = await runPit(['sandbox', 'status', '--no-color'], {
    home: pit.home,
    columns,
    environment: { TERM: 'xterm' },
  });
  const { address } = pit.served;
  expect(stdout).toContain(address.baseUrl);
  // what cannot be broken may be wider: a path, an address, a time
  const wide = stdout.split('\n').filter((line) => displayWidth(line) > columns && !/^[\w ]+ {2,}\S+$/.test(line));
  expect(wide).toEqual([]);
});

it('pit sandbox status of a sandbox on a port says how its clock runs', async () => {
  expect(await pit.json('sandbox status')).toMatchObject({ clockRunning: true, clockSpeed: 1 });
  await pit.done('sandbox clock stop');
  await pit.done('sandbox clock speed 60');
  expect(await pit.json('sandbox status')).toMatchObject({ clockRunning: false, clockSpeed: 60 });
});
