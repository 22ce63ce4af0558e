import { rulesByKey } from '../../cli/flag-rules.js';
import type { Rule } from '../../cli/rule.js';
import { AGENT_ALGO_FLAGS, TYPE_FLAGS } from '../order/algo-args.js';
import { checkRules, choice, optional, text, texts, toggle } from './parameters.js';

const textParameter = (description: string) => optional(text(description));
const textsParameter = (description: string) => optional(texts(description));
const toggleParameter = (description: string) => optional(toggle(description));

type AgentFlags = typeof AGENT_ALGO_FLAGS;

/** The parameter that a flag is: several texts, a text, or a switch. */
type ParameterOf<Given> = Given extends { readonly repeats: true }
  ? ReturnType<typeof textsParameter>
  : Given extends { readonly parse: unknown }
    ? ReturnType<typeof textParameter>
    : ReturnType<typeof toggleParameter>;

/** The flags of algo orders as parameters of a tool; undescribed in a tool that another one describes. */
export function algoParameters(isDescribed: boolean) {
  const of = (name: keyof AgentFlags) => (isDescribed ? AGENT_ALGO_FLAGS[name].agent : '');
  const names = Object.keys(AGENT_ALGO_FLAGS) as (keyof AgentFlags)[];
  const parameters = names.map((name) => {
    const flag = AGENT_ALGO_FLAGS[name];
    const parameter = 'repeats' in flag ? textsParameter : 'parse' in flag ? textParameter : toggleParameter;
    return [name, parameter(of(name))] as const;
  });
  const all = Object.fromEntries(parameters) as { readonly [Name in keyof AgentFlags]: ParameterOf<AgentFlags[Name]> };
  return { ...all, trigger: optional(choice(of('trigger'), 'book', 'last')) };
}

/** The flags of algo orders, by the names of their parameters. */
const FLAGS = {
  ...AGENT_ALGO_FLAGS,
  price: { syntax: '--at', description: '' },
  'type postOnly': TYPE_FLAGS.postOnly,
  'type ioc': TYPE_FLAGS.ioc,
};

/** What the parameters of an algo order exclude and need. */
const RULES: readonly Rule[] = rulesByKey({ flags: FLAGS }, Object.keys(FLAGS));

/** Throws Failure `usage` for parameters of an algo order that exclude or lack each other. */
export function checkAlgoParameters({
  type,
  ...given
}: Readonly<Record<string, unknown>> & { readonly type?: string | undefined }): void {
  checkRules(RULES, { ...given, [`type ${type}`]: true });
}
