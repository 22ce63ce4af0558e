/** Does some work for each item, so many at a time, and gives the results in the order of the items. */
export async function sideBySide<Item, Result>(
  items: readonly Item[],
  most: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const rest = items.entries();
  // all of them draw from the one iterator
  const drawing = async () => {
    for (const [index, item] of rest) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, drawing));
  return results;
}
