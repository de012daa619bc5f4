// How much of a project is kept before a program runs in it. What is over these is said before, by name.
export interface ManifestLimits {
  /** A larger file is not kept. */
  fileBytes: number;
  /** All that is kept of one project; the largest files are left out first. */
  bytes: number;
}

/** The number of entries is bounded by the walk of the files, which says where it ended. */
export const manifestLimits: ManifestLimits = { fileBytes: 128 * 1024 * 1024, bytes: 512 * 1024 * 1024 };

/** The paths of the files that are too large, alone or together with the others. */
export function tooLarge(files: readonly { path: string; size: number }[], limits: ManifestLimits): Set<string> {
  const over = new Set<string>();
  let bytes = 0;
  for (const { path, size } of files) {
    if (size > limits.fileBytes) over.add(path);
    else bytes += size;
  }
  if (bytes <= limits.bytes) return over;
  for (const { path, size } of files.toSorted((a, b) => b.size - a.size)) {
    if (bytes <= limits.bytes) break;
    if (over.has(path)) continue;
    over.add(path);
    bytes -= size;
  }
  return over;
}
