/**
 * @fileoverview Formats ISO 8601 timestamps. The part up to the second is cached, because it is the slowest to format.
 * @module app/context/timestamps
 */

/** Creates a function that formats milliseconds since the epoch as ISO 8601. */
export function createTimestamps(): (milliseconds: number) => string {
  let second = Number.NaN;
  let prefix = "";
  let last = Number.NaN;
  let text = "";
  return (time) => {
    const milliseconds = Math.floor(time);
    if (milliseconds === last) return text;
    last = milliseconds;
    const whole = Math.floor(milliseconds / 1000);
    if (whole !== second) {
      prefix = new Date(whole * 1000).toISOString().slice(0, -"000Z".length);
      second = whole;
    }
    const rest = milliseconds - whole * 1000;
    text = `${prefix}${rest < 10 ? "00" : rest < 100 ? "0" : ""}${rest}Z`;
    return text;
  };
}
