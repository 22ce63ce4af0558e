/** Something a profile can be set to, beyond its hosts. */
export interface Setting {
  readonly about: string;
  readonly values: string;
  /** What applies if it is not set; absent if nothing does. */
  readonly default?: string;
  /** The value in the form that is stored, or null if it is invalid. */
  parse(value: string): string | null;
  /** The value as it may be shown, if it holds a secret. */
  show?(value: string): string;
}
