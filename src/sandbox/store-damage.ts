/** Data of an exchange that this version cannot read. Apart, so that to know it by its kind loads no store. */
export class UnreadableStore extends Error {
  override readonly name: string = 'UnreadableStore';
}

/** Thrown for data that cannot be what an exchange wrote. */
export class DamagedStore extends UnreadableStore {
  override readonly name = 'DamagedStore';

  constructor(file: string, reason: string, cause?: unknown) {
    super(`${file} is damaged: ${reason}`, { cause });
  }
}
