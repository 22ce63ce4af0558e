/**
 * Does work for each item, for at most so many at once, in the order in which the source gives them. After an error nothing new is begun.
 * @returns the results by the place of their item
 * @throws the first error, while what has begun goes on
 */
export async function inParallel<Item, Result>(
  items: Iterable<Item> | AsyncIterable<Item>,
  most: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const source = numbered(items);
  let hasFailed = false;
  // all workers draw from one source
  const worker = async () => {
    for await (const [index, item] of source) {
      if (hasFailed) return;
      try {
        results[index] = await work(item);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: most }, worker));
  return results;
}

async function* numbered<Item>(items: Iterable<Item> | AsyncIterable<Item>): AsyncGenerator<[number, Item]> {
  let index = 0;
  for await (const item of items) yield [index++, item];
}
