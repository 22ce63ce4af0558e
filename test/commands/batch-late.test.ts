import { describe, expect, it } from 'vitest';
import { temporaryHome } from '../support/pit.js';
import { ModelExchange } from '../trading/batch/model-exchange.js';
import { batch } from './batch-desk.js';
import { Desk } from './desk.js';
import { environmentAt } from './literal-exchange.js';

describe('a batch that was refused, and that something on the way carries out again when there is enough for it', () => {
  const line = 'order batch buy btc_usdt --ladder 29990:29991:2 --amount 0.02 --yes';

  it.each([0, 1])(
    'is what there is for --resume and for resolve, and nothing is sent; %i were accepted',
    async (count) => {
      const exchange = new ModelExchange([{ accepts: (pair) => pair < count }]);
      const server = await exchange.serve();
      const desk = new Desk(temporaryHome());
      const extra = { environment: environmentAt(server.url) };
      const refused = await desk.run(`--json ${line}`, extra);
      expect(refused.code).toBe(count === 0 ? 3 : 9);
      const job = /"clientId":"(job\w+)"/.exec(refused.stderr)?.[1] ?? '';
      const copies = ['29990', '29991'].map((price) => exchange.place(price, '0.01'));
      const resumed = await desk.run(`order batch buy btc_usdt --resume ${job} --yes --json`, extra);
      expect(resumed.code).toBe(0);
      expect(resumed.stderr).toMatch(/REFUSED (IS|ARE) THERE|THOUGH THEY WERE REFUSED/);
      expect(batch(resumed)).toMatchObject({ placed: 2, refused: 0, duplicates: copies.slice(0, count) });
      const [row] = await desk.json<object[]>(`resolve ${job}`, extra);
      expect(row).toMatchObject({ clientId: job, outcome: 'placed', duplicates: copies.slice(0, count) });
      expect(exchange.batches).toHaveLength(1);
    },
  );

  it.each([0, 1])(
    'is a row of resolve, which finds it, as what it is from then on; %i were accepted',
    async (count) => {
      const exchange = new ModelExchange([{ accepts: (pair) => pair < count }]);
      const server = await exchange.serve();
      const desk = new Desk(temporaryHome());
      const extra = { environment: environmentAt(server.url) };
      await desk.run(`--json ${line}`, extra);
      const copies = ['29990', '29991'].map((price) => exchange.place(price, '0.01'));
      const rows = await desk.run('resolve --json', extra);
      expect(JSON.parse(rows.stdout)).toMatchObject([{ outcome: 'placed', duplicates: copies.slice(0, count) }]);
      expect(rows.stderr).toMatch(/REFUSED (IS|ARE) THERE|THOUGH THEY WERE REFUSED/);
    },
  );
});
