import type { Context } from '../../cli/context.js';
import { define, required, several, toggle } from '../../cli/definition.js';
import { anything } from '../../cli/shapes.js';
import { isDescribed, type OperationName, operationOf } from '../../exchange/operations/index.js';
import type { Answer } from '../../terminal/answer.js';
import { overriddenBy, overrideFlag } from '../guarding.js';
import { bodyAnswer } from './body.js';
import { readOperation, readPair, valuesOf } from './parameters.js';

export default define({
  summary: 'Call any operation of the interface by its name',
  arguments: {
    method: required('the operation: depth, getOrder, setExpressState …', readOperation),
    parameters: several('its parameters as name=value', readPair),
  },
  flags: {
    raw: toggle('--raw', 'print the body as it came, in place of a table'),
    override: overrideFlag,
  },
  examples: [
    'api depth market=btc_usdt size=5',
    'api getOrders currency=btc_usdt tradeType=1 pageIndex=1 --json',
    'api order currency=btc_usdt tradeType=1 price=30000 amount=0.01 --yes',
    'api setExpressState currency=btc_usdt --dry-run',
  ],
  output: anything,
  // what the command of a write prints, or one request
  dry: anything,
  async run(context, { method, parameters, raw, override }) {
    const values = Object.fromEntries(parameters.map(({ name, value }) => [name, value]));
    if (method === 'withdraw') throw (await import('./writes.js')).onlyByCommand(values);
    const checked = valuesOf(method, parameters);
    if (!isDescribed(method)) {
      const { callUndescribed } = await import('./undescribed.js');
      return callUndescribed(context, { method, parameters: checked }, { raw, overridden: overriddenBy(override) });
    }
    if (operationOf(method).effect === 'read') return bodyAnswer(await read(context, method, checked), raw);
    const { carrying } = await import('./writes.js');
    return answered(context, method, raw, () => carrying(method)(context, checked, overriddenBy(override)));
  },
});

type Values = Readonly<Record<string, string>>;

async function read({ session }: Context, method: OperationName, values: Values): Promise<string> {
  const isSigned = operationOf(method).access === 'signed';
  const client = await (isSigned ? session.signedClient() : session.client());
  return client.ask(method, values);
}

/**
 * Carries a write out, and answers with the body that the exchange sent for it. Where none came, or several did, the answer
 * is what was found out.
 */
async function answered(
  { session, globals, output }: Context,
  method: string,
  raw: boolean,
  carry: () => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  const bodies: string[] = [];
  session.hear((name, body) => {
    if (name === method) bodies.push(body);
  });
  const answer = await carry();
  const [body, ...others] = bodies;
  if (body !== undefined && others.length === 0) {
    const failure = answer?.failure;
    return { ...bodyAnswer(body, raw), ...(failure === undefined ? {} : { failure }) };
  }
  if (!globals.dryRun) output.note(`There is no one answer of the exchange to ${method}: this is what was found out.`);
  return answer;
}
