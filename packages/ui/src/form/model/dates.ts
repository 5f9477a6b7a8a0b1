/**
 * @fileoverview Converts between the values of date inputs and those of JSON Schema formats (RFC 3339).
 * @module ui/form/model/dates
 */

/** Returns the value of a `datetime-local` input for a `date-time`, in the zone of the browser, or `undefined`. */
export function toLocalDateTime(value: string): string | undefined {
  const time = RFC_3339.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) return undefined;
  const date = new Date(time);
  const day = [
    String(date.getFullYear()).padStart(4, "0"),
    pad(date.getMonth() + 1),
    pad(date.getDate()),
  ].join("-");
  return `${day}T${[date.getHours(), date.getMinutes(), date.getSeconds()].map(pad).join(":")}`;
}

/** Returns the `date-time` in UTC for the value of a `datetime-local` input, or `undefined`. */
export function fromLocalDateTime(input: string): string | undefined {
  const time = Date.parse(input);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString().replace(".000Z", "Z");
}

/** Returns the value of a `time` input for a `time`, or `undefined` if it has another zone than UTC. */
export function toLocalTime(value: string): string | undefined {
  return /^(\d{2}:\d{2}:\d{2})(?:\.0+)?(?:[Zz]|\+00:00)$/.exec(value)?.[1];
}

/** Returns the `time` in UTC for the value of a `time` input, or `undefined`. */
export function fromLocalTime(input: string): string | undefined {
  if (!/^\d{2}:\d{2}(?::\d{2})?$/.test(input)) return undefined;
  return `${input.length === 5 ? `${input}:00` : input}Z`;
}

/** Returns true if a text is empty or a date that a `date` input can show. */
export function isDateInput(value: string): boolean {
  return value === "" || /^\d{4}-\d{2}-\d{2}$/.test(value);
}

const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/;

function pad(value: number): string {
  return String(value).padStart(2, "0");
}
