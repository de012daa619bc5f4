// Takes one line off the front of a stream and leaves every byte after it for whoever reads next.
import type { Duplex } from 'node:stream';

const NEWLINE = 0x0a;

export interface LineLimits {
  limitBytes: number;
  timeoutMs: number;
}

/** The first line without its newline, or null when the stream ends, is too slow or goes on without one. */
export function takeLine(stream: Duplex, { limitBytes, timeoutMs }: LineLimits): Promise<string | null> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    // Reading by "readable" leaves the stream as if untouched: a later listener for "data" starts it and misses nothing.
    const finish = (line: string | null, rest: Buffer = Buffer.alloc(0)) => {
      clearTimeout(timer);
      stream.off('readable', onReadable).off('end', onEnd).off('close', onEnd);
      if (rest.length > 0) stream.unshift(rest);
      resolve(line);
    };
    const onEnd = () => finish(null);
    const onReadable = () => {
      for (let chunk = stream.read() as Buffer | null; chunk !== null; chunk = stream.read() as Buffer | null) {
        const at = chunk.indexOf(NEWLINE);
        chunks.push(at === -1 ? chunk : chunk.subarray(0, at));
        size += chunks.at(-1)?.length ?? 0;
        if (size > limitBytes) return finish(null);
        if (at !== -1) return finish(Buffer.concat(chunks).toString('utf8'), chunk.subarray(at + 1));
      }
    };
    const timer = setTimeout(() => finish(null), timeoutMs);
    stream.on('readable', onReadable).on('end', onEnd).on('close', onEnd);
  });
}
