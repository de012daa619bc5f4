// drawbridge link: a fresh way into the console of the bridge that runs.
import { Fatal } from '../failed.ts';
import { liveRecord } from '../socket/record.ts';
import { findPlace } from './home.ts';
import { say } from './output.ts';
import { asOwner } from './owner.ts';

export async function makeLink({ home, json }: { home?: string; json: boolean }): Promise<void> {
  const folder = findPlace(home).locations.home;
  if ((liveRecord(folder)?.consoleUrl ?? null) === null)
    throw new Fatal(1, `No console is running for the state folder ${folder}; start one with "drawbridge start".`);
  const link = await asOwner(home, (call) => call('link_create', {}));
  say(json ? JSON.stringify(link) : link.ownerLink);
}
