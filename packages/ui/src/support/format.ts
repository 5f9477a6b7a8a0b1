/**
 * @fileoverview Formats numbers for people: sizes, durations, and counts. The output is American English and does not
 * depend on the locale of the browser.
 * @module ui/support/format
 */

const KIBIBYTE = 1024;
const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

/** Formats a size in bytes, such as `512 B` or `1.5 MiB`. */
export function formatBytes(bytes: number): string {
  let size = Math.max(0, bytes);
  let unit = 0;
  while (size >= KIBIBYTE && unit < UNITS.length - 1) {
    size /= KIBIBYTE;
    unit++;
  }
  return `${unit === 0 ? Math.round(size) : roundTo(size, size < 10 ? 1 : 0)} ${UNITS[unit]}`;
}

/** Formats a duration in milliseconds, such as `0.4 ms`, `12 ms`, `1.25 s`, or `2 min 5 s`. */
export function formatDuration(milliseconds: number): string {
  const ms = Math.max(0, milliseconds);
  if (ms < 10) return `${roundTo(ms, 1)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${roundTo(ms / 1000, ms < 9_995 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min${seconds % 60 === 0 ? "" : ` ${seconds % 60} s`}`;
  const hours = Math.floor(minutes / 60);
  return `${hours} h${minutes % 60 === 0 ? "" : ` ${minutes % 60} min`}`;
}

/** Formats a count with thousands separators, such as `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}

/** Formats a count and its noun, such as `1 item` or `12,345 items`. */
export function formatQuantity(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Formats a time of day with milliseconds in the zone of the browser, such as `09:05:07.250`. */
export function formatClock(milliseconds: number): string {
  const date = new Date(milliseconds);
  const pad = (value: number, length: number) => String(value).padStart(length, "0");
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => pad(part, 2)).join(":");
  return `${time}.${pad(date.getMilliseconds(), 3)}`;
}

function roundTo(value: number, digits: number): string {
  return String(Number(value.toFixed(digits)));
}
