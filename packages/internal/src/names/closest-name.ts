/**
 * @fileoverview Finds the name that a misspelled name most likely stands for.
 * @module internal/names/closest-name
 */

/**
 * Returns the candidate closest to `name`, or `undefined` if none is close enough to be a typo. Compares at most 1,000
 * candidates and ignores those over 64 characters.
 */
export function closestName(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = name.slice(0, MAX_LENGTH).toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(wanted.length / 3)) + 1;
  let looked = 0;
  for (const candidate of candidates) {
    if (++looked > MAX_CANDIDATES) break;
    if (candidate.length > MAX_LENGTH || Math.abs(candidate.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance && distance < candidate.length) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

const MAX_LENGTH = 64;
const MAX_CANDIDATES = 1_000;

/**
 * Counts the insertions, deletions, replacements, and swaps of adjacent characters that turn one text into the other.
 * Returns `Infinity` once the count is known to reach `limit`.
 */
function editDistance(from: string, to: string, limit: number): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (swapped) cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      current.push(cost);
    }
    // A row depends only on the two rows before it. If two consecutive rows reach the limit, all later rows do too.
    if (Math.min(...current) >= limit && Math.min(...last) >= limit) return Infinity;
    [beforeLast, last] = [last, current];
  }
  return last[to.length] ?? 0;
}
