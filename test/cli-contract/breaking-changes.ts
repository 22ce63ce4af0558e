import type { Shape, TypeName } from '../../src/cli/shapes.js';

/**
 * What a schema takes away from who relied on the one before: a field that is gone, of another type, no longer always
 * there, or without one of its words. More fields, and more words, are no breach.
 */
export function breakingChanges(before: Shape, now: Shape, where: string): string[] {
  if (before.anyOf !== undefined) return breakingChangesSeveral(before.anyOf, now.anyOf ?? [now], where);
  if (now.anyOf !== undefined) return breakingChangesSeveral([before], now.anyOf, where);
  return [
    ...changed('type', typesOf(before), typesOf(now), where),
    ...changed('pattern', before.pattern, now.pattern, where),
    ...gone('word', before.enum ?? [], now.enum ?? [], where),
    ...gone('field that is always there', before.required ?? [], now.required ?? [], where),
    ...Object.entries(before.properties ?? {}).flatMap(([name, field]) => {
      const same = now.properties?.[name];
      return same === undefined ? [`${where}.${name} is gone`] : breakingChanges(field, same, `${where}.${name}`);
    }),
    ...(before.items === undefined ? [] : breakingChanges(before.items, now.items ?? {}, `${where}[]`)),
    ...(before.additionalProperties === undefined
      ? []
      : breakingChanges(before.additionalProperties, now.additionalProperties ?? {}, `${where}.*`)),
  ];
}

/** Each alternative that there was is still one of those there are. */
function breakingChangesSeveral(before: readonly Shape[], now: readonly Shape[], where: string): string[] {
  return before.flatMap((one) => {
    const found = now
      .map((other) => breakingChanges(one, other, where))
      .toSorted((left, right) => left.length - right.length);
    return found[0] ?? [`${where} is gone`];
  });
}

function typesOf({ type = [] }: Shape): string {
  const types: readonly TypeName[] = typeof type === 'string' ? [type] : type;
  return types.toSorted().join(' or ');
}

function changed(what: string, before: string | undefined, now: string | undefined, where: string): string[] {
  return before === now ? [] : [`${where} had the ${what} ${before ?? 'of any kind'} and has ${now ?? 'none'}`];
}

function gone<Word>(what: string, before: readonly Word[], now: readonly Word[], where: string): string[] {
  return before.filter((word) => !now.includes(word)).map((word) => `${where}: the ${what} ${word} is gone`);
}
