/**
 * @fileoverview Short slices in rotating order, after a warm-up that ends when a server gets no faster: whatever else
 * the machine does then falls on all servers alike.
 * @module bench/lib/interleave
 */

/** One slice of one server. */
export interface Sample {
  readonly cpuUs: number;
  readonly done: number;
  readonly errors: number;
  readonly wallMs: number;
  readonly latencies?: readonly number[];
}

/** How long things take. */
export interface Pace {
  readonly sliceMs: number;
  readonly rounds: number;
  readonly warmMs: number;
}

/** A server that takes part in a case. */
export interface Contestant {
  readonly name: string;
  readonly slice: (ms: number) => Promise<Sample>;
}

/** All slices of each contestant, by name. */
export async function interleave(
  contestants: readonly Contestant[],
  pace: Pace,
): Promise<ReadonlyMap<string, readonly Sample[]>> {
  for (const contestant of contestants) await warm(contestant, pace);
  const samples = new Map<string, Sample[]>(contestants.map(({ name }) => [name, []]));
  for (let round = 0; round < pace.rounds; round++) {
    for (let turn = 0; turn < contestants.length; turn++) {
      const contestant = contestants[(round + turn) % contestants.length];
      if (contestant !== undefined) samples.get(contestant.name)?.push(await contestant.slice(pace.sliceMs));
    }
  }
  return samples;
}

/** So many requests in a row without a gain, and a server is as fast as it gets. */
const FLAT_REQUESTS = 4_000;
const FLAT_SLICES = 3;

/**
 * Runs until it got no faster, by 3 %, for a number of slices and requests, or the time is up: the server's own time,
 * for on a busy machine little of the time that passes is its own.
 */
async function warm({ slice }: Contestant, { sliceMs, warmMs }: Pace): Promise<void> {
  const end = performance.now() + 4 * warmMs;
  let left = warmMs * 1000;
  let best = Number.POSITIVE_INFINITY;
  let flat = { slices: 0, requests: 0 };
  while (
    left > 0 &&
    (flat.slices < FLAT_SLICES || flat.requests < FLAT_REQUESTS) &&
    performance.now() < end
  ) {
    const { cpuUs, done } = await slice(sliceMs);
    if (done === 0) return;
    const cost = cpuUs / done;
    left -= cpuUs;
    flat =
      cost > best * 0.97
        ? { slices: flat.slices + 1, requests: flat.requests + done }
        : { slices: 0, requests: 0 };
    best = Math.min(best, cost);
  }
}
