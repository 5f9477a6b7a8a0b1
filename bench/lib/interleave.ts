/**
 * @fileoverview Runs short slices in rotating order, after a warm-up that ends when a server gets no faster. Other load
 * on the machine then affects all servers equally.
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

/** Durations of slices and warm-up, and the number of rounds. */
export interface Pace {
  readonly sliceMs: number;
  readonly rounds: number;
  readonly warmMs: number;
}

/** A server in a case. */
export interface Contestant {
  readonly name: string;
  readonly slice: (ms: number) => Promise<Sample>;
}

/** Measures all slices of each server, by name. */
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

/** Number of consecutive requests without improvement after which a server counts as warm. */
const FLAT_REQUESTS = 4_000;
const FLAT_SLICES = 3;

/**
 * Warms a server up until it has not improved by 3 % for a number of slices and requests, or until the time limit. The
 * limit counts the server's CPU time, because a busy machine gives it only a part of the elapsed time.
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
