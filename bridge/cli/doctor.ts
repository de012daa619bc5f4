// drawbridge doctor: what works here, what is missing, and the mend. It changes nothing and needs no bridge.
import { liveRecord } from '../socket/record.ts';
import { checkMachine, type Check } from './checks.ts';
import { findPlace } from './home.ts';
import { say } from './output.ts';

const marks: Record<Check['status'], string> = { ok: 'ok      ', limited: 'limited ', missing: 'MISSING ' };

/** Whether everything that is needed is there. */
export async function doctor({ home, json }: { home?: string; json: boolean }): Promise<boolean> {
  const place = findPlace(home);
  const checks = await checkMachine(place);
  const isFit = checks.every(({ status }) => status !== 'missing');
  const record = liveRecord(place.locations.home);
  const running = record === null ? null : { pid: record.pid, mcpUrl: record.mcpUrl, consoleUrl: record.consoleUrl };
  if (json) say(JSON.stringify({ version: place.installation.version, isFit, running, checks }));
  else {
    for (const { name, status, found, mend } of checks)
      say(`${marks[status]}${name}: ${found}${mend === null ? '' : `\n          ${mend}`}`);
    say(
      running === null ? 'No bridge is running.' : `A bridge is running: process ${running.pid}, console ${running.consoleUrl ?? 'none'}.`,
    );
  }
  return isFit;
}
