/** What excludes or needs what on a command line, by names as people read them: `--size`, `MARKET`, `pit kline`. */
export type Rule =
  | { readonly excludes: readonly [string, string] }
  /** At least one of `needs`. */
  | { readonly of: string; readonly needs: readonly string[] };

/** The names that a command line with these must not have. */
export function excludedBy(given: ReadonlySet<string>, rules: readonly Rule[]): ReadonlySet<string> {
  const pairs = rules.flatMap((rule) => ('excludes' in rule ? [rule.excludes] : []));
  return new Set(
    pairs.flatMap(([one, other]) => [...(given.has(one) ? [other] : []), ...(given.has(other) ? [one] : [])]),
  );
}

/** The same, and the names that need what it must not have. */
export function outOfReach(given: ReadonlySet<string>, rules: readonly Rule[]): ReadonlySet<string> {
  const excluded = excludedBy(given, rules);
  const inVain = rules.flatMap((rule) =>
    'excludes' in rule || rule.needs.some((name) => given.has(name) || !excluded.has(name)) ? [] : rule.of,
  );
  return new Set([...excluded, ...inVain]);
}

/** The names that a command line with these still needs: one of each rule is enough. */
export function neededBy(given: ReadonlySet<string>, rules: readonly Rule[]): ReadonlySet<string> {
  return new Set(
    rules.flatMap((rule) =>
      'excludes' in rule || !given.has(rule.of) || rule.needs.some((name) => given.has(name)) ? [] : rule.needs,
    ),
  );
}
