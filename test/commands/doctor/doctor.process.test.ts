import { expect, it, onTestFinished } from 'vitest';
import { Authority, hasOpenssl } from '../../support/authority.js';
import { respond, serveFaults } from '../../support/fault-server.js';
import { temporaryHome } from '../../support/pit.js';
import { ACCOUNT_INFO } from '../../support/wire.js';
import { environmentAt } from '../literal-exchange.js';
import { PitHome } from '../pit-home.js';
import { found, line } from './findings.js';

it('finds nothing wrong with the files of a fresh home while its sandbox runs', async () => {
  const other = new PitHome(temporaryHome());
  await other.run('sandbox start');
  onTestFinished(async () => void (await other.run('sandbox stop')));
  expect(line(await found(other, '', {}), 'files')).toMatch(/^ok: .*private to the user/);
});

it.skipIf(!hasOpenssl)('reports how long a certificate is valid and why it is rejected', async () => {
  const authority = new Authority();
  onTestFinished(() => authority.remove());
  const server = await serveFaults({ answer: () => respond(ACCOUNT_INFO), tls: authority.sign('IP:127.0.0.1', 5) });
  const environment = { ...environmentAt(server.url), NODE_EXTRA_CA_CERTS: authority.file };
  expect(line(await found(new PitHome(temporaryHome()), '', { environment, ownProcess: true }), 'trade-tls')).toMatch(
    /^warn: the certificate was accepted; it expires in [45] days/,
  );
  const unknown = await found(new PitHome(temporaryHome()), '', { environment: environmentAt(server.url) }, 9);
  expect(line(unknown, 'trade-tls')).toMatch(/^fail: the host's certificate is signed by an authority .*caFile/);
});
