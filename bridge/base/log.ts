// The bridge's own log: JSON lines on stderr, because stdout belongs to the protocol or to one JSON line.
import { pino, destination } from 'pino';

export type Log = Pick<ReturnType<typeof pino>, 'info' | 'warn' | 'error' | 'debug'>;

/** A logger on stderr. DRAWBRIDGE_LOG names the level (debug, info, warn, error, silent). */
export function createLog(level: string = process.env['DRAWBRIDGE_LOG'] ?? 'info'): Log {
  return pino({ level, base: null }, destination({ dest: 2, sync: true }));
}

/** Says nothing; for tests. */
export const silentLog: Log = pino({ level: 'silent' });
