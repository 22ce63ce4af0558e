const NUMBER = /^([+-]?)(\d+)((?:\.\d*)?)$/;

/** Thousands separators in the whole part: `23140.48` is `23,140.48`. Anything but a plain number is returned unchanged. */
export function grouped(decimal: string): string {
  const [, sign, whole, fraction] = NUMBER.exec(decimal) ?? [];
  if (whole === undefined) return decimal;
  return `${sign}${whole.replace(/\B(?=(?:\d{3})+$)/g, ',')}${fraction}`;
}

/** With its sign written out: `+1.25`, `-0.40`; zero has none. */
export function signed(decimal: string): string {
  const [, sign, whole, fraction] = NUMBER.exec(decimal) ?? [];
  if (whole === undefined) return decimal;
  const magnitude = `${whole}${fraction}`;
  if (!/[1-9]/.test(magnitude)) return magnitude;
  return `${sign === '-' ? '-' : '+'}${magnitude}`;
}
