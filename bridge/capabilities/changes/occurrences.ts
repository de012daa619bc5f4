// Every place where bytes occur in bytes, overlapping ones too, in time linear in the file whatever the two hold.

const PROBE_BYTES = 32;
/** Bytes that failed comparisons may have cost before the search that never looks back takes over. */
const WORK_BYTES = 64 * 1024 * 1024;

/** Offsets in ascending order. The needle is not empty. */
export function* occurrences(bytes: Buffer, needle: Buffer): Generator<number> {
  const probe = probeOf(needle);
  const rest = needle.length - probe.length;
  let work = 0;
  for (let at = bytes.indexOf(probe.bytes, probe.at); at >= 0; at = bytes.indexOf(probe.bytes, at + 1)) {
    const start = at - probe.at;
    if (start + needle.length > bytes.length) return;
    if (rest === 0 || bytes.compare(needle, 0, needle.length, start, start + needle.length) === 0) yield start;
    work += rest;
    if (work > WORK_BYTES) return yield* withoutLookingBack(bytes, needle, start + 1);
  }
}

interface Probe {
  bytes: Buffer;
  at: number;
  length: number;
}

/** The native search is fast for a short needle; of a long one, the part with the most different bytes is looked for. */
function probeOf(needle: Buffer): Probe {
  if (needle.length <= PROBE_BYTES) return { bytes: needle, at: 0, length: needle.length };
  const step = Math.max(1, Math.floor((needle.length - PROBE_BYTES) / 8));
  let best = { at: 0, variety: 0 };
  for (let at = 0; at + PROBE_BYTES <= needle.length; at += step) {
    const variety = new Set(needle.subarray(at, at + PROBE_BYTES)).size;
    if (variety > best.variety) best = { at, variety };
  }
  return { bytes: needle.subarray(best.at, best.at + PROBE_BYTES), at: best.at, length: PROBE_BYTES };
}

/** Knuth, Morris and Pratt: slower than the native search on ordinary bytes, and never quadratic on hostile ones. */
function* withoutLookingBack(bytes: Buffer, needle: Buffer, from: number): Generator<number> {
  const borders = bordersOf(needle);
  let matched = 0;
  for (let at = from; at < bytes.length; at += 1) {
    while (matched > 0 && bytes[at] !== needle[matched]) matched = borders[matched - 1] ?? 0;
    if (bytes[at] === needle[matched]) matched += 1;
    if (matched === needle.length) {
      yield at - needle.length + 1;
      matched = borders[matched - 1] ?? 0;
    }
  }
}

/** For each prefix, the length of the longest shorter one that it ends in. */
function bordersOf(needle: Buffer): Int32Array {
  const borders = new Int32Array(needle.length);
  let matched = 0;
  for (let at = 1; at < needle.length; at += 1) {
    while (matched > 0 && needle[at] !== needle[matched]) matched = borders[matched - 1] ?? 0;
    if (needle[at] === needle[matched]) matched += 1;
    borders[at] = matched;
  }
  return borders;
}
